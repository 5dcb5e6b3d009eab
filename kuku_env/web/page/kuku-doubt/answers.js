/** What the player may answer: buttons, the chart, and a field for numbers. */
import { chart, productOf } from "./chart.js";
import { h } from "./dom.js";
import { cardName } from "./words.js";
export class Answers {
    view;
    words;
    page;
    constructor(view, words, page) {
        this.view = view;
        this.words = words;
        this.page = page;
    }
    /** The elements; where a claim may be seen through, `choosingPair` shows the chart. */
    elements(choosingPair) {
        const { view } = this;
        if (view.phase === "respond")
            return this.responses(choosingPair);
        if (view.phase === "claim")
            return this.numbers();
        const buttons = view.legal.map((text) => this.choice(text, this.answer(text)));
        return [h("div", { class: "row" }, ...buttons)];
    }
    /** What a discard, a flip or a start says on its button. */
    answer(text) {
        const { view, words } = this;
        const [low, high] = (view.hand ?? []).map((card) => cardName(card, words.liar));
        const [first, second] = view.lives.map((card) => cardName(card, words.liar));
        const said = {
            "discard low": words.discard(low ?? ""),
            "discard high": words.discard(high ?? ""),
            "discard both": words.discardBoth,
            "flip first": words.flip(first ?? ""),
            "flip second": words.flip(second ?? ""),
        };
        return said[text] ?? this.page.name(Number(text.split(" ")[1]));
    }
    responses(choosingPair) {
        const { view, words } = this;
        const number = view.claims.at(-1)?.number ?? 0;
        if (choosingPair) {
            const table = chart(words, new Set(view.legal), number, (text) => this.page.act(text));
            const back = this.page.button("cancel", words.cancel, () => this.page.choosePair(false));
            return [
                h("h3", {}, words.chart(number)),
                table,
                h("p", {}, words.chartHelp),
                h("p", {}, back),
            ];
        }
        const named = view.legal.some((text) => text.startsWith("see "));
        const buttons = [
            view.legal.includes("accept") ? this.choice("accept", words.accept) : null,
            this.choice("doubt", words.doubt),
            named ? this.choice("see", words.see, () => this.page.choosePair(true)) : null,
        ];
        return [h("div", { class: "row" }, ...buttons)];
    }
    /** Legal claims as buttons, the true one marked, and a field to type one. */
    numbers() {
        const { view, words } = this;
        const truth = view.hand && productOf(view.hand);
        const buttons = view.legal.map((text) => {
            const number = text.slice("claim ".length);
            const button = this.page.button(text, number);
            if (Number(number) === truth) {
                button.className = "truth";
                button.setAttribute("aria-label", `${number}, ${words.truth}`);
            }
            return button;
        });
        const input = h("input", { id: "number", inputmode: "numeric", size: 4, autocomplete: "off" });
        const claim = (event) => {
            event.preventDefault();
            const text = `claim ${Number(input.value.normalize("NFKC"))}`;
            if (view.legal.includes(text))
                this.page.act(text);
            else
                this.page.say(words.noClaim(input.value));
        };
        const typed = h("form", { class: "row", onsubmit: claim }, h("label", {}, `${words.orType} `, input), h("button", {}, words.claim));
        return [h("div", { class: "row" }, ...buttons), typed];
    }
    /** One of few buttons, which stand out. */
    choice(action, text, onclick) {
        const button = this.page.button(action, text, onclick);
        button.className = "choice";
        return button;
    }
}
