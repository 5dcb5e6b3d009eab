/** What the next game shall be: selects for the players, the bots and the start. */
import { h } from "./dom.js";
export class Setup {
    choices = { players: [], default_players: 0, bots: [], start: false };
    players = 0;
    lineup = 0;
    meFirst = false;
    /** Offer what the transport has. */
    offer(choices) {
        this.choices = choices;
        this.players = choices.default_players;
    }
    /** Propose a game like that at a table where these sit. */
    like(sitting) {
        const others = sitting.slice(1);
        const seats = (names) => others.every((name, k) => name === names[k % names.length]);
        this.players = sitting.length;
        this.lineup = Math.max(0, this.choices.bots.findIndex(seats));
    }
    get choice() {
        const bots = this.choices.bots[this.lineup] ?? null;
        return { players: this.players, bots, start: this.meFirst ? "me" : null };
    }
    /** The selects, each with its label. */
    fields(words) {
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
            fields.push(this.field("start", words.starts, starts, first, (chosen) => {
                this.meFirst = chosen === 1;
            }));
        }
        return fields;
    }
    field(id, label, texts, selected, choose) {
        const options = texts.map((text, k) => h("option", { selected: k === selected }, text));
        const select = h("select", { id, onchange: () => choose(select.selectedIndex) }, ...options);
        return h("label", {}, h("span", {}, label), select);
    }
}
