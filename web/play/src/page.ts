/** The page: it shows what the transport hands over and sends back what the player chooses. */

import { type Bot, loadBot } from "kuku-bots";
import { chart, productOf, RANKS } from "./chart.js";
import { h, section } from "./dom.js";
import { reviewOf } from "./review.js";
import type { Card, Transport, Update, View } from "./transport.js";
import { cardName, type Language, WORDS, type Words } from "./words.js";

const SIZES = [2, 3, 4, 5, 6];

export class Page {
  private update: Update | null = null;
  private players = 3;
  private choosingPair = false;
  private busy = false;
  private hinting: Promise<Bot> | null = null;
  private logged = 0;

  // Screen readers announce changes of what stays in the page: these are never replaced.
  private readonly message = h("p", { id: "message", role: "status" });
  private readonly log = h("div", { class: "log", role: "log", tabindex: 0 });
  private readonly logSection = section("log", "", this.log);
  private readonly top = h("header");
  private readonly table = h("div");
  private readonly after = h("div");

  constructor(
    root: HTMLElement,
    private readonly transport: Transport,
    private language: Language,
  ) {
    root.replaceChildren(this.top, this.message, this.table, this.logSection, this.after);
  }

  get words(): Words {
    return WORDS[this.language];
  }

  /** Show everything anew; the question gets the focus if it had it before, or on request. */
  render(focusQuestion = false): void {
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
    if (focusQuestion || focused) document.querySelector<HTMLElement>("#asked")?.focus();
  }

  // ---------------------------------------------------------------- what the player does

  private setPlayers(players: number): void {
    this.players = players;
  }

  private async start(): Promise<void> {
    this.clearLog();
    await this.take(() => this.transport.start(this.players));
  }

  private async act(action: string): Promise<void> {
    const decision = this.update?.decision ?? 0;
    await this.take(() => this.transport.act(decision, action));
  }

  /** Ask the transport; one request at a time, so that a double click acts once. */
  private async take(ask: () => Promise<Update>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    this.say(this.words.wait);
    this.render();
    try {
      this.shows(await ask());
      this.say("");
    } catch (error) {
      this.say(this.words.failed((error as Error).message));
      if ((error as { code?: string }).code === "stale") await this.catchUp();
    }
    this.busy = false;
    this.render(true);
  }

  /** Somebody, such as the same player in another window, was faster. */
  private async catchUp(): Promise<void> {
    try {
      this.shows(await this.transport.now());
    } catch (error) {
      this.say(this.words.failed((error as Error).message));
    }
  }

  private shows(update: Update): void {
    this.update = update;
    this.choosingPair = false;
    this.tell(update);
  }

  private choosePair(choosing: boolean): void {
    this.choosingPair = choosing;
    this.render();
    const target = choosing ? '.chart [tabindex="0"]' : "#asked";
    document.querySelector<HTMLElement>(target)?.focus();
  }

  private switchLanguage(): void {
    this.language = this.language === "en" ? "ja" : "en";
    this.say("");
    this.clearLog();
    if (this.update) this.tell(this.update);
    this.render();
    document.querySelector<HTMLElement>("#language")?.focus();
  }

  /** What a bot of the page would do here; it sees the player's view and nothing else. */
  private async hint({ view, bot }: Update): Promise<void> {
    this.say(this.words.thinking);
    try {
      this.hinting ??= loadBot(bot ?? "");
      const { probabilities } = await (await this.hinting).act(view);
      const best = Object.entries(probabilities).sort(([, a], [, b]) => b - a);
      const likely = best.slice(0, 3).filter(([, p]) => p >= 0.01);
      const told = likely.map(([text, p]) => `${this.action(text)} (${Math.round(100 * p)} %)`);
      this.say(this.words.hintSays(told.join(", ")));
    } catch (error) {
      this.hinting = null;
      this.say(this.words.failed((error as Error).message));
    }
  }

  // ---------------------------------------------------------------- words

  private name(seat: number): string {
    const me = this.update?.view.seat ?? 0;
    return seat === me ? this.words.you : this.words.bot(seat < me ? seat + 1 : seat);
  }

  private action(text: string): string {
    return this.words.action(text, (seat) => this.name(seat));
  }

  private card(card: Card | string): string {
    return cardName(card, this.words.liar);
  }

  private clearLog(): void {
    this.log.replaceChildren();
    this.logged = 0;
  }

  /** Add what has happened since to the log, where screen readers read it out. */
  private tell({ events }: Update): void {
    for (const event of events.slice(this.logged)) {
      const said = this.words.event(event, (seat) => this.name(seat));
      if (said) this.log.append(h("p", {}, said));
    }
    this.logged = events.length;
  }

  private say(text: string): void {
    this.message.textContent = text;
  }

  // ---------------------------------------------------------------- parts of the page

  private header(): HTMLElement[] {
    const { words } = this;
    const chosen = (size: number) => h("option", { selected: size === this.players }, String(size));
    const select = h(
      "select",
      { onchange: () => this.setPlayers(Number(select.value)) },
      ...SIZES.map(chosen),
    );
    return [
      h("h1", {}, words.title),
      h("label", {}, `${words.players} `, select),
      h("button", { type: "button", id: "new", onclick: () => void this.start() }, words.newGame),
      h(
        "button",
        {
          type: "button",
          id: "language",
          lang: this.language === "en" ? "ja" : "en",
          onclick: () => this.switchLanguage(),
        },
        words.language,
      ),
    ];
  }

  private rules(): HTMLElement {
    const items = this.words.rules.map((line) => h("li", {}, line));
    return section("rules", this.words.howTo, h("ol", {}, ...items));
  }

  private game(update: Update): HTMLElement[] {
    const { view } = update;
    const over = view.phase === "over";
    return [
      this.seats(view),
      over ? this.ending(update) : this.question(update),
      section("claims", this.words.claims, this.claims(view)),
      section("table", this.words.table, ...this.cards(view)),
    ];
  }

  private seats(view: View): HTMLElement {
    const { words } = this;
    const items = view.seats.map((seat, k) => {
      const turn = view.to_act === k;
      const out = seat.lives === 0;
      return h(
        "li",
        { class: `${turn ? "turn" : ""} ${out ? "out" : ""}`, "aria-current": turn && "true" },
        h("strong", {}, this.name(k)),
        ` · ${out ? words.out : words.lives(seat.lives)} `,
        ...seat.face_up.map((card) => h("span", { class: "card" }, this.card(card))),
        turn ? ` · ${words.turn}` : "",
      );
    });
    const mine = view.lives.flatMap((card) => [h("span", { class: "card" }, this.card(card)), " "]);
    return section(
      "seats",
      words.seats,
      h("ul", { class: "seats" }, ...items),
      mine.length ? h("p", {}, `${words.myLives}: `, ...mine) : null,
      view.sudden_death ? h("p", {}, words.suddenDeath) : null,
    );
  }

  private claims(view: View): HTMLElement {
    const lines = view.claims.map(({ seat, number, discarded }) =>
      h("li", {}, this.words.claimLine(this.name(seat), number, discarded)),
    );
    return lines.length ? h("ol", { class: "claims" }, ...lines) : h("p", {}, this.words.none);
  }

  private cards(view: View): HTMLElement[] {
    const cards = RANKS.flatMap((rank) =>
      Array.from({ length: view.table[String(rank)] ?? 0 }, () => [
        h("span", { class: "card" }, this.card(rank)),
        " ",
      ]),
    ).flat();
    const { words } = this;
    return [
      cards.length ? h("p", {}, ...cards) : h("p", {}, words.none),
      h("p", {}, `${words.pile(view.pile)} · ${words.discards(view.discards)}`),
    ];
  }

  private ending({ view, events }: Update): HTMLElement {
    const { words } = this;
    const end = events.at(-1);
    const won = end?.places?.[view.seat] === 1;
    const said = end?.truncated ? words.shared : won ? words.won : words.lost;
    return section(
      "question",
      words.question.over,
      h("p", { id: "asked", class: "question", tabindex: -1 }, said),
    );
  }

  private review(record: NonNullable<Update["record"]>): HTMLElement {
    const { words } = this;
    const head = h("tr", {}, ...words.columns.map((name) => h("th", { scope: "col" }, name)));
    const rounds = reviewOf(record).map((claims, k) =>
      h(
        "table",
        { class: "review" },
        h("caption", {}, words.round(k + 1)),
        head.cloneNode(true),
        ...claims.map((claim) => {
          const held = claim.held.map((card) => this.card(card)).join(" · ");
          const cells = [this.name(claim.seat), held, String(claim.number)];
          const was = claim.true ? words.true : words.lie;
          return h("tr", {}, ...[...cells, was].map((text) => h("td", {}, text)));
        }),
      ),
    );
    return section("review", words.review, ...rounds);
  }

  // ---------------------------------------------------------------- the question

  private question(update: Update): HTMLElement {
    const { words } = this;
    const { view } = update;
    const phase = view.phase as Exclude<View["phase"], "over">;
    const last = view.claims.at(-1);
    const asked =
      phase === "respond"
        ? words.question.respond(this.name(last?.seat ?? 0), last?.number ?? 0)
        : words.question[phase];
    const held = view.hand
      ? words.hand(view.hand.map((card) => this.card(card)).join(" · "), productOf(view.hand))
      : null;
    const hint = this.button("hint", words.hint, () => void this.hint(update));
    return section(
      "question",
      words.yourTurn,
      h("p", { id: "asked", class: "question", tabindex: -1 }, asked),
      held ? h("p", { class: "question" }, held) : null,
      ...this.answers(view),
      update.bot === undefined ? null : h("p", {}, hint),
    );
  }

  private answers(view: View): HTMLElement[] {
    if (view.phase === "respond") return this.responses(view);
    if (view.phase === "claim") return this.numbers(view);
    const buttons = view.legal.map((text) => this.button(text, this.answer(view, text)));
    return [h("div", { class: "row" }, ...buttons)];
  }

  /** What a discard, a flip or a start says on its button. */
  private answer(view: View, text: string): string {
    const { words } = this;
    const [low, high] = (view.hand ?? []).map((card) => this.card(card));
    const [first, second] = view.lives.map((card) => this.card(card));
    const said: Record<string, string> = {
      "discard low": words.discard(low ?? ""),
      "discard high": words.discard(high ?? ""),
      "discard both": words.discardBoth,
      "flip first": words.flip(first ?? ""),
      "flip second": words.flip(second ?? ""),
    };
    return said[text] ?? this.name(Number(text.split(" ")[1]));
  }

  private responses(view: View): HTMLElement[] {
    const { words } = this;
    const number = view.claims.at(-1)?.number ?? 0;
    if (this.choosingPair) {
      const table = chart(words, new Set(view.legal), number, (text) => void this.act(text));
      const back = this.button("cancel", words.cancel, () => this.choosePair(false));
      return [
        h("h3", {}, words.chart(number)),
        table,
        h("p", {}, words.chartHelp),
        h("p", {}, back),
      ];
    }
    const named = view.legal.some((text) => text.startsWith("see "));
    const buttons = [
      view.legal.includes("accept") ? this.button("accept", words.accept) : null,
      this.button("doubt", words.doubt),
      named ? this.button("see", words.see, () => this.choosePair(true)) : null,
    ];
    return [h("div", { class: "row" }, ...buttons)];
  }

  /** Legal claims as buttons, the true one marked, and a field to type one. */
  private numbers(view: View): HTMLElement[] {
    const { words } = this;
    const truth = view.hand && productOf(view.hand);
    const buttons = view.legal.map((text) => {
      const number = text.slice("claim ".length);
      const button = this.button(text, number);
      if (Number(number) === truth) {
        button.className = "truth";
        button.setAttribute("aria-label", `${number}, ${words.truth}`);
      }
      return button;
    });
    const input = h("input", { id: "number", inputmode: "numeric", size: 4, autocomplete: "off" });
    const claim = (event: Event) => {
      event.preventDefault();
      const text = `claim ${Number(input.value.normalize("NFKC"))}`;
      if (view.legal.includes(text)) void this.act(text);
      else this.say(words.noClaim(input.value));
    };
    const typed = h(
      "form",
      { class: "row", onsubmit: claim },
      h("label", {}, `${words.orType} `, input),
      h("button", {}, words.claim),
    );
    return [h("div", { class: "row" }, ...buttons), typed];
  }

  /** A button that acts, or does something else. */
  private button(
    action: string,
    text: string,
    onclick: () => void = () => void this.act(action),
  ): HTMLButtonElement {
    return h(
      "button",
      { type: "button", "data-action": action, onclick, disabled: this.busy },
      text,
    );
  }
}
