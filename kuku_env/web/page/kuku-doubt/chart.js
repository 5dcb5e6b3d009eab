/** The times-table chart, on which a pair is named: one tab stop, arrow keys move. */
import { h } from "./dom.js";
import { cardName } from "./words.js";
export const RANKS = ["L", 1, 2, 3, 4, 5, 6, 7, 8, 9];
export function productOf(pair) {
    const [low, high] = pair;
    return typeof low === "number" && typeof high === "number" ? low * high : null;
}
const STEPS = {
    ArrowLeft: [0, -1],
    ArrowRight: [0, 1],
    ArrowUp: [-1, 0],
    ArrowDown: [1, 0],
};
/**
 * A chart of all pairs of cards. `choose` gets the action's text, `see 3 6`, of a pair among
 * `legal`; pairs that make `number` stand out.
 */
export function chart(words, legal, number, choose) {
    const cells = RANKS.map((row, r) => RANKS.map((column, c) => {
        const pair = r <= c ? [row, column] : [column, row];
        return cell(words, pair, legal, number, choose);
    }));
    const head = RANKS.map((rank) => h("th", { scope: "col" }, short(rank, words)));
    const body = cells.map((line, r) => h("tr", {}, h("th", { scope: "row" }, short(RANKS[r], words)), ...line.map((button) => h("td", {}, button))));
    const table = h("table", { class: "chart" }, h("tr", {}, h("td"), ...head), ...body);
    rove(table, cells);
    return table;
}
function short(rank, words) {
    return rank === "L" ? words.liar.slice(0, 1) : String(rank);
}
function cell(words, pair, legal, number, choose) {
    const action = `see ${pair[0]} ${pair[1]}`;
    const product = productOf(pair);
    const [low, high] = pair.map((card) => cardName(card, words.liar));
    return h("button", {
        type: "button",
        "aria-label": words.pairCell(low, high, product),
        "aria-disabled": legal.has(action) ? "false" : "true",
        class: product === number ? "fits" : "",
        "data-action": action,
        tabindex: -1,
        onclick: () => legal.has(action) && choose(action),
    }, product === null ? "–" : String(product));
}
/** Arrow keys move among the cells; one of them, at first one that fits, is in the tab order. */
function rove(table, cells) {
    const all = cells.flat();
    const first = all.find((button) => button.classList.contains("fits")) ?? all[0];
    if (first)
        first.tabIndex = 0;
    table.addEventListener("keydown", (event) => {
        const step = STEPS[event.key];
        const at = all.indexOf(event.target);
        if (!step || at < 0)
            return;
        event.preventDefault();
        const size = cells.length;
        const row = (Math.floor(at / size) + step[0] + size) % size;
        const next = cells[row]?.[((at % size) + step[1] + size) % size];
        if (!next)
            return;
        for (const button of all)
            button.tabIndex = button === next ? 0 : -1;
        next.focus();
    });
}
