/** A bot that answers from a view. */

import { type BotCard, type Expected, readCard } from "./card.js";
import { choose, roll, tempered } from "./chance.js";
import { isObject, shown } from "./checks.js";
import { actionTexts, encodeView, legalMask } from "./encode.js";
import { BotError, RulesError, ViewError } from "./errors.js";
import type { Layout } from "./layout.js";
import { type Answers, Network } from "./network.js";
import { sha256 } from "./sha256.js";

export interface ActOptions {
  /** An integer of at least 0: the same seed and view give the same action. Left out: drawn. */
  seed?: number;
  /** 1 (the default): as likely as the bot finds right; towards 0: its best action ever surer. */
  temperature?: number;
}

export type Card = string | number;

export interface Answer {
  /** The action's text, one of the view's `legal`. */
  action: string;
  actionId: number;
  /** The bot's probability of each legal action, whatever the temperature. */
  probabilities: Record<string, number>;
  /** Chance to win after each legal action; null where the bot has none. */
  values: Record<string, number> | null;
  /** My chance to win; null where the bot has none. */
  win: number | null;
  /** Chance that the pending claim is a lie; null where the bot has none. */
  lie: number | null;
  /** Pairs of cards that may be under the claim, likeliest first; null where the bot has none. */
  pairs: [Card, Card, number][] | null;
}

export class Bot {
  private constructor(
    /** The content of `bot.json`. */
    readonly card: BotCard,
    private readonly network: Network,
  ) {}

  /**
   * A bot from the text of `bot.json` and the bytes of `policy.onnx`.
   *
   * Throws BotError for a damaged file, or a bot of another game or layout than expected.
   */
  static async open(card: string, graph: Uint8Array, expected: Expected = {}): Promise<Bot> {
    const read = readCard(card, expected);
    if (sha256(graph) !== read.sha256) {
      throw new BotError(`policy.onnx of ${read.name} is damaged: its SHA-256 is not bot.json's`);
    }
    return new Bot(read, await Network.open(graph, read.layout));
  }

  get name(): string {
    return this.card.name;
  }

  get layout(): Layout {
    return this.card.layout;
  }

  /** Names of what the network gives. */
  get outputs(): readonly string[] {
    return this.network.outputs;
  }

  /** Throw RulesError unless the bot is meant for a table with these rules (a view's `rules`). */
  accepts(rules: unknown): void {
    if (!isObject(rules)) {
      throw new ViewError("rules", `given ${shown(rules)}, an object is needed`);
    }
    for (const [name, allowed] of Object.entries(this.card.rules)) {
      const path = `rules.${name}`;
      if (!Object.hasOwn(rules, name)) throw new ViewError(path, "is missing");
      if (!allowed.some((one) => same(one, rules[name]))) {
        const plays = `${this.name} plays with ${name} in ${JSON.stringify(allowed)}`;
        throw new RulesError(path, `${plays}, not ${brief(rules[name])}`);
      }
    }
  }

  /**
   * What the bot does in the situation that a view shows.
   *
   * Throws ViewError for a malformed view or one without a decision, RulesError for a table that
   * the bot is not meant for, RangeError for a wrong seed or temperature.
   */
  async act(view: unknown, { seed, temperature = 1 }: ActOptions = {}): Promise<Answer> {
    const observation = encodeView(this.layout, view);
    const mask = legalMask(this.layout, view);
    this.accepts((view as { rules: unknown }).rules);
    if (!mask.includes(1)) throw new ViewError("legal", "is empty, there is nothing to decide");
    const at = roll(seed, observation);
    tempered([1], temperature); // a wrong one is refused before anything runs
    const answers = await this.network.run(observation, mask);
    const chances = Array.from(answers.probabilities as Float32Array);
    const actionId = choose(tempered(chances, temperature), at);
    if (actionId < 0) throw new BotError(`${this.name} gives no legal action a probability`);
    return this.answer(view, mask, answers, actionId);
  }

  /** Free the network's memory; the bot cannot act any more. */
  release(): Promise<void> {
    return this.network.release();
  }

  private answer(view: unknown, mask: Int8Array, answers: Answers, actionId: number): Answer {
    const texts = actionTexts(this.layout, view);
    const byText = (row: Float32Array) =>
      Object.fromEntries(texts.flatMap((text, k) => (mask[k] ? [[text, row[k] as number]] : [])));
    const { probabilities, action_values, value, lie, pairs } = answers;
    return {
      action: texts[actionId] as string,
      actionId,
      probabilities: byText(probabilities as Float32Array),
      values: action_values ? byText(action_values) : null,
      win: value?.[0] ?? null,
      lie: lie?.[0] ?? null,
      pairs: pairs ? likelyPairs(this.layout, pairs) : null,
    };
  }
}

/**
 * The pairs with their chances, likeliest first, impossible ones left out.
 *
 * Their names are those of the one action block that names two cards (`see 3 6`) and has as many
 * texts; null where there is none.
 */
function likelyPairs(layout: Layout, chances: Float32Array): [Card, Card, number][] | null {
  const words = layout.actions.map((block) => block.texts.map((text) => text.split(" ")));
  const named = words.find(
    (texts) => texts.length === chances.length && texts.every((parts) => parts.length === 3),
  );
  if (!named) return null;
  const card = (word: string | undefined) =>
    /^\d+$/.test(word ?? "") ? Number(word) : (word ?? "");
  return named
    .map(([, low, high], k): [Card, Card, number] => [card(low), card(high), chances[k] as number])
    .filter(([, , chance]) => chance > 0)
    .sort((one, other) => other[2] - one[2]);
}

/** Whether two JSON values are equal. */
function same(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((part, k) => same(part, other[k]));
  }
  if (isObject(one) && isObject(other)) {
    const keys = Object.keys(one);
    return (
      keys.length === Object.keys(other).length &&
      keys.every((key) => Object.hasOwn(other, key) && same(one[key], other[key]))
    );
  }
  return one === other;
}

function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
