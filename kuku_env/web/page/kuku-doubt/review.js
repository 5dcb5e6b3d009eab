/** What everybody held, from the complete record of a finished game. */
import { productOf } from "./chart.js";
/** The claims of each round. */
export function reviewOf(record) {
    const rounds = [];
    let held = [];
    for (const event of record) {
        const cards = Array.isArray(event.cards) ? event.cards : [];
        if (event.type === "round") {
            rounds.push([]);
            held = [];
        }
        else if (event.type === "look") {
            held = [...cards];
        }
        else if (event.type === "draw") {
            held = [...held, ...cards];
        }
        else if (event.action?.startsWith("discard ")) {
            held = without(held, cards);
        }
        else if (event.action?.startsWith("claim ")) {
            const number = Number(event.action.slice(6));
            const claim = { seat: event.seat ?? 0, held, number, true: productOf(held) === number };
            rounds.at(-1)?.push(claim);
        }
    }
    return rounds;
}
function without(held, thrown) {
    const left = [...held];
    for (const card of thrown)
        left.splice(left.indexOf(card), 1);
    return left;
}
