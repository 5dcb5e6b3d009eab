/** What a bot thinks, in words: what it would do, and what it can tell of chances. */
import { cardName } from "./words.js";
const LEAST = 0.01; // what is less likely is not worth a word
/** A bot's answer as a hint; `action` puts an action's text into words. */
export function hintOf(answer, words, action) {
    const { probabilities, values, win, lie, pairs } = answer;
    const likely = Object.entries(probabilities)
        .sort(([, a], [, b]) => b - a)
        .slice(0, 3)
        .filter(([, chance]) => chance >= LEAST)
        .map(([text, chance]) => {
        const wins = values?.[text];
        const after = wins === undefined ? "" : `, ${words.wins(percent(wins))}`;
        return `${action(text)} (${percent(chance)}${after})`;
    });
    const lines = [words.hintSays(likely.join(", "))];
    if (win !== null)
        lines.push(words.winsNow(percent(win)));
    if (lie !== null)
        lines.push(words.liesBy(percent(lie)));
    if (pairs?.length) {
        const some = pairs.slice(0, 3).map(([low, high, chance]) => {
            const cards = [low, high].map((card) => cardName(card, words.liar));
            return `${cards.join(" × ")} (${percent(chance)})`;
        });
        lines.push(words.likelyPairs(some.join(", ")));
    }
    return lines.join(" ");
}
function percent(chance) {
    return `${Math.round(100 * chance)} %`;
}
