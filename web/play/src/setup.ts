/** What the next game shall be: selects for the players, the bots and the start. */

import { h } from "./dom.js";
import type { Choice, Choices } from "./transport.js";
import type { Words } from "./words.js";

export class Setup {
  private choices: Choices = { players: [], default_players: 0, bots: [], start: false };
  private players = 0;
  private lineup = 0;
  private meFirst = false;

  /** Offer what the transport has. */
  offer(choices: Choices): void {
    this.choices = choices;
    this.players = choices.default_players;
  }

  /** Propose a game like that at a table where these sit. */
  like(sitting: readonly (string | null)[]): void {
    const others = sitting.slice(1);
    const seats = (names: string[]) => others.every((name, k) => name === names[k % names.length]);
    this.players = sitting.length;
    this.lineup = Math.max(0, this.choices.bots.findIndex(seats));
  }

  get choice(): Choice {
    const bots = this.choices.bots[this.lineup] ?? null;
    return { players: this.players, bots, start: this.meFirst ? "me" : null };
  }

  /** The selects, each with its label. */
  fields(words: Words): HTMLElement[] {
    const { players, bots, start } = this.choices;
    const sizes = players.map((size) => String(size));
    const lineups = bots.map((names) => names.map(words.level).join(" + "));
    const fields = [
      this.field("players", words.players, sizes, players.indexOf(this.players), (chosen) => {
        this.players = players[chosen] ?? this.players;
      }),
      this.field("bots", words.opponents, lineups, this.lineup, (chosen) => {
        this.lineup = chosen;
      }),
    ];
    if (start) {
      const starts = [words.drawn, words.you];
      const first = this.meFirst ? 1 : 0;
      fields.push(
        this.field("start", words.starts, starts, first, (chosen) => {
          this.meFirst = chosen === 1;
        }),
      );
    }
    return fields;
  }

  private field(
    id: string,
    label: string,
    texts: string[],
    selected: number,
    choose: (chosen: number) => void,
  ): HTMLElement {
    const options = texts.map((text, k) => h("option", { selected: k === selected }, text));
    const select = h("select", { id, onchange: () => choose(select.selectedIndex) }, ...options);
    return h("label", {}, h("span", {}, label), select);
  }
}
