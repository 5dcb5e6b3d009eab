/** A bot that answers from a view. */

import { type BotCard, type Expected, readCard } from "./card.js";
import { checkDraw, choose, roll, scaled, tempered } from "./chance.js";
import { isObject, placeAmong, shown } from "./checks.js";
import { actionTexts, encodeView, legalMask } from "./encode.js";
import { ActionError, BotError, RulesError, ViewError } from "./errors.js";
import type { Layout } from "./layout.js";
import { type Answers, Network } from "./network.js";
import { type Card, likelyPairs } from "./pairs.js";
import { sha256 } from "./sha256.js";

export interface ActOptions {
  /** An integer of at least 0: the same seed and view give the same action. Left out: by chance. */
  seed?: number;
  /** 1 (the default): as likely as the bot finds right; 0: its best action; up to 100: flatter. */
  temperature?: number;
}

export interface Answer {
  /** The action's text, one of the view's `legal`. */
  action: string;
  actionId: number;
  /** The probability with which each legal action was drawn, temperature applied. */
  probabilities: Record<string, number>;
  /** Chance to win after each legal action; null where the bot has none. */
  values: Record<string, number> | null;
  /** My chance to win; null where the bot has none. */
  win: number | null;
  /** Chance that the claim I may answer is a lie; null where the bot has none, or there is none. */
  lie: number | null;
  /** The likeliest pairs of cards that may lie there; null as above. */
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
   * Throws ViewError for a malformed view, ActionError where there is nothing to decide, RulesError
   * for a table that the bot is not meant for, RangeError for a wrong seed or temperature.
   */
  async act(view: unknown, { seed, temperature = 1 }: ActOptions = {}): Promise<Answer> {
    checkDraw(seed, temperature);
    const observation = encodeView(this.layout, view);
    const mask = legalMask(this.layout, view);
    this.accepts((view as { rules: unknown }).rules);
    checkTurn(view as Record<string, unknown>, mask);
    const at = roll(seed, this.layout.id, observation, mask);
    const answers = await this.network.run(observation, mask);
    const given = Array.from(answers.probabilities as Float32Array, Number);
    const preferences = scaled(given.map((p, action) => (mask[action] ? p : 0)));
    if (!preferences.every((p) => p >= 0)) {
      throw new BotError(`${this.name} gave no probabilities`);
    }
    const chances = tempered(preferences, temperature);
    return this.answer(view, mask, answers, chances, choose(chances, at));
  }

  /** Free the network's memory; the bot cannot act any more. */
  release(): Promise<void> {
    return this.network.release();
  }

  private answer(
    view: unknown,
    mask: Int8Array,
    { action_values, value, lie, pairs }: Answers,
    chances: number[],
    actionId: number,
  ): Answer {
    const texts = actionTexts(this.layout, view);
    const byText = (row: ArrayLike<number>) =>
      Object.fromEntries(texts.flatMap((text, k) => (mask[k] ? [[text, row[k] as number]] : [])));
    return {
      action: texts[actionId] as string,
      actionId,
      probabilities: byText(chances),
      values: action_values ? byText(action_values) : null,
      win: value?.[0] ?? null,
      lie: this.believes("lie", mask) ? (lie?.[0] ?? null) : null,
      pairs: pairs && this.believes("pairs", mask) ? likelyPairs(this.layout, pairs) : null,
    };
  }

  /** Whether there is something here to believe of what an output is about. */
  private believes(output: string, mask: Int8Array): boolean {
    const when = this.card.beliefs?.[output];
    const block = this.layout.actions.find(({ name }) => name === when);
    return block?.texts.some((_, k) => mask[block.offset + k]) ?? false;
  }
}

/** Throw unless the seat whose view it is has something to decide. */
function checkTurn({ seat, to_act }: Record<string, unknown>, mask: Int8Array): void {
  if (!mask.includes(1)) throw new ActionError(`seat ${seat} has no decision to make here`);
  if (to_act !== undefined) placeAmong("to_act", to_act, [seat]);
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
