/** Everything the page says, in English and Japanese. */
function list(cards, liar) {
    return (Array.isArray(cards) ? cards : []).map((card) => cardName(card, liar)).join(", ");
}
export function cardName(card, liar) {
    return card === "L" ? liar : String(card);
}
/** A discard with its cards where they are known: `discard 4, 6`, `discard one card`. */
function discard({ action = "", cards }) {
    if (!action.startsWith("discard "))
        return action;
    if (Array.isArray(cards))
        return `discard ${list(cards, "Liar")}`;
    return action === "discard one" ? "discard one card" : "discard both cards";
}
/** `Bot 1 claims 24`, but `You claim 24`. */
function sentence(who, text, name) {
    const [word = "", ...rest] = en.action(text, name).split(" ");
    if (text.startsWith("start "))
        return `${who}: ${en.action(text, name)}`;
    return [who, who === en.you ? word : `${word}s`, ...rest].join(" ");
}
const en = {
    title: "Kuku Doubt",
    language: "日本語",
    newGame: "New game",
    players: "Players",
    opponents: "Opponents",
    level: (name) => name,
    starts: "First",
    drawn: "drawn",
    seats: "Players",
    you: "You",
    bot: (number) => `Bot ${number}`,
    lives: (count) => (count === 1 ? "1 life" : `${count} lives`),
    out: "out",
    turn: "deciding",
    yourTurn: "Your turn",
    howTo: "How to play",
    rules: [
        "Two cards go round face down. Whoever passes them on says what they multiply to, or lies.",
        "Accept: look at them, change one or both, and pass them on with a number that is not lower.",
        "Doubt: they are turned up. A lie costs the liar a life, the truth costs you one.",
        "See through: name the very pair. If you are right the other loses a life, if not you do.",
        "A Liar card multiplies to nothing. With both life cards up you are out; the last one wins.",
    ],
    thinking: "Asking the bot…",
    myLives: "Your life cards",
    lifeCards: "Life cards",
    table: "Table cards",
    pile: (cards) => `Draw pile: ${cards}`,
    discards: (cards) => `Discards: ${cards}`,
    none: "none",
    claims: "Claims of this round",
    claimLine: (who, number, discarded) => `${who}: ${number}${discarded ? ` (discarded ${discarded})` : ""}`,
    log: "What happened",
    liar: "Liar",
    suddenDeath: "Sudden death: whoever loses now is out.",
    question: {
        respond: (who, number) => `${who} passed you a pair and said ${number}. What do you do?`,
        discard: "Which of these do you discard?",
        claim: "Which number do you claim?",
        flip: "Which life card do you turn up?",
        start: "Who starts the next round?",
        over: "The game is over.",
    },
    hand: (cards, product) => `You hold ${cards}: ${product === null ? "no product, any claim is a lie" : product}`,
    accept: "Accept",
    doubt: "Doubt!",
    see: "See through…",
    chart: (number) => `See through: which pair makes ${number}?`,
    pairCell: (low, high, product) => product === null ? `${low} and ${high}` : `${low} times ${high} is ${product}`,
    chartHelp: "Arrow keys move, Enter names the pair. A wrong pair loses, even if the claim was true.",
    cancel: "Back",
    discard: (cards) => `Discard ${cards}`,
    discardBoth: "Discard both",
    claim: "Claim",
    truth: "the truth",
    noClaim: (given) => `${given || "Nothing"} cannot be claimed now.`,
    orType: "Or type it",
    flip: (card) => `Turn up ${card}`,
    hint: "Hint",
    hintSays: (actions) => `The bot would: ${actions}.`,
    wins: (chance) => `wins ${chance}`,
    winsNow: (chance) => `Win chance now: ${chance}.`,
    liesBy: (chance) => `The claim is a lie with a chance of ${chance}.`,
    likelyPairs: (pairs) => `Likely pairs: ${pairs}.`,
    wait: "The others are playing…",
    failed: (message) => `That did not work: ${message}`,
    won: "You won!",
    lost: "You lost.",
    shared: "Cut short: the survivors share the win.",
    review: "What everybody held",
    round: (number) => `Round ${number}`,
    columns: ["Player", "Held", "Said", "It was"],
    true: "true",
    lie: "a lie",
    action: (text, name) => {
        const [word = "", ...rest] = text.split(" ");
        if (word === "see")
            return `see through ${rest.map((card) => cardName(card, "Liar")).join("·")}`;
        if (word === "start")
            return `next start player ${name(Number(rest[0]))}`;
        if (word === "flip")
            return `turn up the ${rest[0]} life card`;
        return text;
    },
    event: (event, name) => {
        const who = event.seat === undefined ? "" : name(event.seat);
        switch (event.type) {
            case "round":
                return `A new round. First: ${name(event.start ?? 0)}.`;
            case "act":
                return `${sentence(who, discard(event), name)}.`;
            case "look":
            case "draw":
                if (!Array.isArray(event.cards))
                    return null;
                return `${sentence(who, event.type === "look" ? "look at" : "draw", name)} ${list(event.cards, "Liar")}.`;
            case "reveal":
                return `Turned up onto the table: ${list(event.cards, "Liar")}.`;
            case "show": {
                const truth = event.truth ? "is true" : "is a lie";
                const shown = `The pair is ${list(event.cards, "Liar")}: ${event.claim} ${truth}.`;
                return `${shown} Lost: ${name(event.loser ?? 0)}.`;
            }
            case "flip":
                return `${who}: life card ${cardName(event.card ?? "", "Liar")} turned up.`;
            case "reshuffle":
                return "The discards became a new draw pile.";
            case "table_recycled":
                return "All cards but life cards became a new draw pile.";
            case "out":
                return `Out: ${who}.`;
            case "end":
                return event.truncated ? en.shared : `First place: ${winners(event, name)}.`;
            default:
                return null;
        }
    },
};
function winners(event, name) {
    const places = event.places ?? [];
    return places.flatMap((place, seat) => (place === 1 ? [name(seat)] : [])).join(", ");
}
const ACTIONS_JA = {
    accept: "受け入れる",
    doubt: "ダウト！",
    "discard low": "小さい方を捨てる",
    "discard high": "大きい方を捨てる",
    "discard one": "1枚捨てる",
    "discard both": "2枚捨てる",
    "flip first": "1枚目のライフを表にする",
    "flip second": "2枚目のライフを表にする",
};
const LEVELS_JA = {
    easy: "弱い",
    normal: "普通",
    strong: "強い",
};
const ja = {
    title: "九九ダウト",
    language: "English",
    newGame: "新しいゲーム",
    players: "人数",
    opponents: "相手",
    level: (name) => LEVELS_JA[name] ?? name,
    starts: "先手",
    drawn: "ランダム",
    seats: "プレイヤー",
    you: "あなた",
    bot: (number) => `ボット${number}`,
    lives: (count) => `ライフ${count}`,
    out: "脱落",
    turn: "手番",
    yourTurn: "あなたの番",
    howTo: "遊び方",
    rules: [
        "2枚のカードを裏向きで回します。渡す人はかけ算の答えを宣言します。嘘をついてもかまいません。",
        "受け入れる：2枚を見て、1枚か2枚を引きかえ、前と同じか大きい数を宣言して渡します。",
        "ダウト：2枚を表にします。嘘なら宣言した人、本当ならあなたがライフを失います。",
        "見破る：2枚の組み合わせを当てます。当たれば宣言した人、外れたらあなたがライフを失います。",
        "ウソツキはかけ算できません。ライフが2枚とも表になったら脱落。最後に残った人の勝ちです。",
    ],
    thinking: "ボットに聞いています…",
    myLives: "あなたのライフ",
    lifeCards: "ライフ",
    table: "場札",
    pile: (cards) => `山札：${cards}枚`,
    discards: (cards) => `捨て札：${cards}枚`,
    none: "なし",
    claims: "このラウンドの宣言",
    claimLine: (who, number, discarded) => `${who}：${number}${discarded ? `（${discarded}枚捨てた）` : ""}`,
    log: "できごと",
    liar: "ウソツキ",
    suddenDeath: "次に負けたプレイヤーは即脱落です。",
    question: {
        respond: (who, number) => `${who}が2枚を渡して「${number}」と宣言しました。どうしますか？`,
        discard: "どれを捨てますか？",
        claim: "いくつと宣言しますか？",
        flip: "どのライフを表にしますか？",
        start: "次のラウンドのスタートプレイヤーは？",
        over: "ゲーム終了",
    },
    hand: (cards, product) => `手札：${cards}（${product === null ? "かけ算できないので必ず嘘" : product}）`,
    accept: "受け入れる",
    doubt: "ダウト！",
    see: "見破る…",
    chart: (number) => `見破る：${number}になる2枚は？`,
    pairCell: (low, high, product) => product === null ? `${low}と${high}` : `${low}かける${high}は${product}`,
    chartHelp: "矢印キーで動き、Enterで決めます。組み合わせが違えば、宣言が本当でも負けです。",
    cancel: "もどる",
    discard: (cards) => `${cards}を捨てる`,
    discardBoth: "2枚とも捨てる",
    claim: "宣言する",
    truth: "本当の数",
    noClaim: (given) => `「${given}」は今は宣言できません。`,
    orType: "数字で入力",
    flip: (card) => `${card}を表にする`,
    hint: "ヒント",
    hintSays: (actions) => `ボットなら：${actions}。`,
    wins: (chance) => `勝率${chance}`,
    winsNow: (chance) => `現在の勝率：${chance}。`,
    liesBy: (chance) => `宣言が嘘である確率：${chance}。`,
    likelyPairs: (pairs) => `ありそうな2枚：${pairs}。`,
    wait: "ほかのプレイヤーの番です…",
    failed: (message) => `うまくいきませんでした：${message}`,
    won: "あなたの勝ち！",
    lost: "あなたの負けです。",
    shared: "打ち切り：残ったプレイヤーで勝ちを分けます。",
    review: "みんなの手札",
    round: (number) => `ラウンド${number}`,
    columns: ["プレイヤー", "手札", "宣言", "結果"],
    true: "本当",
    lie: "嘘",
    action: (text, name) => {
        const [word = "", ...rest] = text.split(" ");
        if (word === "see")
            return `見破る！ ${rest.map((card) => cardName(card, "ウソツキ")).join("と")}`;
        if (word === "claim")
            return `「${rest[0]}」と宣言`;
        if (word === "start")
            return `スタートプレイヤーは${name(Number(rest[0]))}`;
        return ACTIONS_JA[text] ?? text;
    },
    event: (event, name) => {
        const who = event.seat === undefined ? "" : name(event.seat);
        switch (event.type) {
            case "round":
                return `新しいラウンド：${name(event.start ?? 0)}から。`;
            case "act":
                if (event.action?.startsWith("discard ") && Array.isArray(event.cards))
                    return `${who}：${list(event.cards, "ウソツキ")}を捨てる。`;
                return `${who}：${ja.action(event.action ?? "", name)}。`;
            case "look":
            case "draw":
                if (!Array.isArray(event.cards))
                    return null;
                return `${who}：${list(event.cards, "ウソツキ")}を${event.type === "look" ? "見る" : "引く"}。`;
            case "reveal":
                return `場札が増えました：${list(event.cards, "ウソツキ")}。`;
            case "show": {
                const truth = event.truth ? "本当" : "嘘";
                const shown = `2枚は${list(event.cards, "ウソツキ")}。「${event.claim}」は${truth}。`;
                return `${shown}負けは${name(event.loser ?? 0)}。`;
            }
            case "flip":
                return `${who}：ライフ${cardName(event.card ?? "", "ウソツキ")}が表になりました。`;
            case "reshuffle":
                return "捨て札が新しい山札になりました。";
            case "table_recycled":
                return "ライフ以外のカードが新しい山札になりました。";
            case "out":
                return `${who}は脱落。`;
            case "end":
                return event.truncated ? ja.shared : `1位：${winners(event, name)}。`;
            default:
                return null;
        }
    },
};
export const WORDS = { en, ja };
