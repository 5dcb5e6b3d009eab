/** The page: it shows what the transport hands over and sends back what the player chooses. */
import { Answers } from "./answers.js";
import { productOf, RANKS } from "./chart.js";
import { h, section } from "./dom.js";
import { hintOf } from "./hint.js";
import { reviewOf } from "./review.js";
import { Setup } from "./setup.js";
import { cardName, WORDS } from "./words.js";
export class Page {
    transport;
    language;
    update = null;
    setup = new Setup();
    choosingPair = false;
    busy = false;
    hinting = null;
    logged = 0;
    // Screen readers announce changes of what stays in the page: these are never replaced.
    message = h("p", { id: "message", role: "status" });
    log = h("div", { class: "log", role: "log", tabindex: 0 });
    logSection = section("log", "", this.log);
    top = h("header");
    table = h("div", { class: "board" });
    after = h("div");
    constructor(root, transport, language) {
        this.transport = transport;
        this.language = language;
        root.replaceChildren(this.top, this.message, this.table, this.logSection, this.after);
    }
    get words() {
        return WORDS[this.language];
    }
    /** Show everything anew; the question gets the focus if it had it before, or on request. */
    render(focusQuestion = false) {
        const focused = document.activeElement?.closest("#question") !== null;
        document.documentElement.lang = this.language;
        document.title = this.words.title;
        this.top.replaceChildren(...this.header());
        this.table.replaceChildren(...(this.update ? this.game(this.update) : [this.rules()]));
        const record = this.update?.record;
        this.after.replaceChildren(...(record ? [this.review(record)] : []));
        this.logSection.hidden = this.update === null;
        this.logSection.querySelector("h2")?.replaceChildren(this.words.log);
        this.log.setAttribute("aria-label", this.words.log);
        this.log.scrollTop = this.log.scrollHeight;
        if (focusQuestion || focused)
            document.querySelector("#asked")?.focus();
    }
    // ---------------------------------------------------------------- what the player does
    /** Offer a new game, and go on with the one that was being played, if any. */
    async open() {
        this.render();
        await this.take(async () => {
            this.setup.offer(await this.transport.choices());
            const update = await this.transport.resume();
            if (update?.sitting)
                this.setup.like(update.sitting);
            return update;
        });
    }
    async start() {
        await this.take(() => this.transport.start(this.setup.choice), true);
    }
    async act(action) {
        const decision = this.update?.decision ?? 0;
        await this.take(() => this.transport.act(decision, action));
    }
    /** Ask the transport; one request at a time, so that a double click acts once. */
    async take(ask, anew = false) {
        if (this.busy)
            return;
        this.busy = true;
        this.say(this.words.wait);
        this.render();
        try {
            const update = await ask();
            if (anew)
                this.clearLog();
            if (update)
                this.shows(update);
            this.say("");
        }
        catch (error) {
            this.say(this.words.failed(error.message));
            if (error.code === "stale")
                await this.catchUp();
        }
        this.busy = false;
        this.render(true);
    }
    /** Somebody, such as the same player in another window, was faster. */
    async catchUp() {
        try {
            this.shows(await this.transport.now());
        }
        catch (error) {
            this.say(this.words.failed(error.message));
        }
    }
    shows(update) {
        this.update = update;
        this.choosingPair = false;
        this.tell(update);
    }
    choosePair(choosing) {
        this.choosingPair = choosing;
        this.render();
        const target = choosing ? '.chart [tabindex="0"]' : "#asked";
        document.querySelector(target)?.focus();
    }
    switchLanguage() {
        this.language = this.language === "en" ? "ja" : "en";
        this.say("");
        this.clearLog();
        if (this.update)
            this.tell(this.update);
        this.render();
        document.querySelector("#language")?.focus();
    }
    /** What a bot would do here; it sees the player's view and nothing else. */
    async hint({ view, bot }) {
        this.say(this.words.thinking);
        try {
            const hint = bot === undefined ? this.transport.hint(this.language) : this.ownHint(view, bot);
            this.say(await hint);
        }
        catch (error) {
            this.hinting = null;
            this.say(this.words.failed(error.message));
        }
    }
    /** From a bot that runs in the page. */
    async ownHint(view, folder) {
        this.hinting ??= import("kuku-bots").then(({ loadBot }) => loadBot(folder));
        const answer = await (await this.hinting).act(view);
        return hintOf(answer, this.words, (text) => this.action(text));
    }
    // ---------------------------------------------------------------- words
    name(seat) {
        const me = this.update?.view.seat ?? 0;
        return seat === me ? this.words.you : this.words.bot(seat < me ? seat + 1 : seat);
    }
    action(text) {
        return this.words.action(text, (seat) => this.name(seat));
    }
    card(card) {
        return cardName(card, this.words.liar);
    }
    clearLog() {
        this.log.replaceChildren();
        this.logged = 0;
    }
    /** Add what has happened since to the log, where screen readers read it out. */
    tell({ events }) {
        for (const event of events.slice(this.logged)) {
            const said = this.words.event(event, (seat) => this.name(seat));
            if (said)
                this.log.append(h("p", {}, said));
        }
        this.logged = events.length;
    }
    say(text) {
        this.message.textContent = text;
    }
    // ---------------------------------------------------------------- parts of the page
    header() {
        const { words } = this;
        return [
            h("h1", {}, words.title),
            h("button", {
                type: "button",
                id: "language",
                lang: this.language === "en" ? "ja" : "en",
                onclick: () => this.switchLanguage(),
            }, words.language),
            h("div", { class: "row setup" }, ...this.setup.fields(words), this.newGame("new", this.update === null)),
        ];
    }
    newGame(id, standsOut) {
        const onclick = () => void this.start();
        const shape = standsOut ? "choice" : "";
        return h("button", { type: "button", id, class: shape, onclick }, this.words.newGame);
    }
    rules() {
        const items = this.words.rules.map((line) => h("li", {}, line));
        return section("rules", this.words.howTo, h("ol", {}, ...items));
    }
    game(update) {
        const { view } = update;
        const over = view.phase === "over";
        return [
            this.seats(update),
            over ? this.ending(update) : this.question(update),
            section("claims", this.words.claims, this.claims(view)),
            section("table", this.words.table, ...this.cards(view)),
        ];
    }
    seats({ view, sitting }) {
        const { words } = this;
        const items = view.seats.map((seat, k) => {
            const turn = view.to_act === k;
            const out = seat.lives === 0;
            return h("li", { class: `${turn ? "turn" : ""} ${out ? "out" : ""}`, "aria-current": turn && "true" }, h("div", {}, h("strong", {}, this.name(k)), sitting?.[k] ? h("small", {}, words.level(sitting[k])) : null), `${out ? words.out : words.lives(seat.lives)} `, ...seat.face_up.map((card) => h("span", { class: "card" }, this.card(card))), turn ? ` · ${words.turn}` : "");
        });
        const mine = view.lives.flatMap((card) => [h("span", { class: "card" }, this.card(card)), " "]);
        return section("seats", words.seats, h("ul", { class: "seats" }, ...items), mine.length ? h("p", {}, `${words.myLives}: `, ...mine) : null, view.sudden_death ? h("p", {}, words.suddenDeath) : null);
    }
    claims(view) {
        const lines = view.claims.map(({ seat, number, discarded }) => h("li", {}, this.words.claimLine(this.name(seat), number, discarded)));
        return lines.length ? h("ol", { class: "claims" }, ...lines) : h("p", {}, this.words.none);
    }
    cards(view) {
        const cards = RANKS.flatMap((rank) => Array.from({ length: view.table[String(rank)] ?? 0 }, () => [
            h("span", { class: "card" }, this.card(rank)),
            " ",
        ])).flat();
        const { words } = this;
        return [
            cards.length ? h("p", {}, ...cards) : h("p", {}, words.none),
            h("p", {}, `${words.pile(view.pile)} · ${words.discards(view.discards)}`),
        ];
    }
    ending({ view, events }) {
        const { words } = this;
        const end = events.at(-1);
        const won = end?.places?.[view.seat] === 1;
        const said = end?.truncated ? words.shared : won ? words.won : words.lost;
        const winner = end && !end.truncated && !won ? words.event(end, (seat) => this.name(seat)) : "";
        return section("question", words.question.over, h("p", { id: "asked", class: "question", tabindex: -1 }, `${said} ${winner}`), h("p", {}, this.newGame("again", true)));
    }
    review(record) {
        const { words } = this;
        const head = h("tr", {}, ...words.columns.map((name) => h("th", { scope: "col" }, name)));
        const rounds = reviewOf(record).flatMap(({ claims, end }, k) => [
            h("table", { class: "review" }, h("caption", {}, words.round(k + 1)), head.cloneNode(true), ...claims.map((claim) => {
                const held = claim.held.map((card) => this.card(card)).join(" · ");
                const cells = [this.name(claim.seat), held, String(claim.number)];
                const was = claim.true ? words.true : words.lie;
                return h("tr", {}, ...[...cells, was].map((text) => h("td", {}, text)));
            })),
            h("p", {}, end.map((event) => words.event(event, (seat) => this.name(seat))).join(" ")),
        ]);
        return section("review", words.review, this.allLives(record), ...rounds);
    }
    /** Everybody's life cards, those too that stayed face down. */
    allLives(record) {
        const dealt = record.filter((event) => event.type === "lives");
        const texts = dealt.map(({ seat = 0, cards }) => {
            const names = Array.isArray(cards) ? cards.map((card) => this.card(card)) : [];
            return `${this.name(seat)}: ${names.join(" · ")}`;
        });
        return h("p", { id: "lives" }, `${this.words.lifeCards} — ${texts.join("; ")}`);
    }
    // ---------------------------------------------------------------- the question
    question(update) {
        const { words } = this;
        const { view } = update;
        const phase = view.phase;
        const last = view.claims.at(-1);
        const asked = phase === "respond"
            ? words.question.respond(this.name(last?.seat ?? 0), last?.number ?? 0)
            : words.question[phase];
        const held = view.hand
            ? words.hand(view.hand.map((card) => this.card(card)).join(" · "), productOf(view.hand))
            : null;
        const hint = this.button("hint", words.hint, () => void this.hint(update));
        return section("question", words.yourTurn, h("p", { id: "asked", class: "question", tabindex: -1 }, asked), held ? h("p", { class: "question" }, held) : null, ...this.answers(view), update.bot === undefined && !update.advice ? null : h("p", {}, hint));
    }
    answers(view) {
        const answers = new Answers(view, this.words, {
            button: (action, text, onclick) => this.button(action, text, onclick),
            act: (action) => void this.act(action),
            say: (text) => this.say(text),
            name: (seat) => this.name(seat),
            choosePair: (choosing) => this.choosePair(choosing),
        });
        return answers.elements(this.choosingPair);
    }
    /** A button that acts, or does something else. */
    button(action, text, onclick = () => void this.act(action)) {
        return h("button", { type: "button", "data-action": action, onclick, disabled: this.busy }, text);
    }
}
