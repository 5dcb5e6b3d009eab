/** Where games come from: the page knows nothing but what a transport hands to it. */

import type { Bot } from "kuku-bots";

export type Card = number | "L";

/** What the page reads of a view (FORMATS: view); bots get the whole of it. */
export interface View {
  seat: number;
  phase: "respond" | "discard" | "claim" | "flip" | "start" | "over";
  to_act: number | null;
  hand: Card[] | null;
  lives: Card[];
  seats: { lives: number; face_up: Card[] }[];
  sudden_death: boolean;
  claims: { seat: number; number: number; discarded: number }[];
  table: Record<string, number>;
  pile: number;
  discards: number;
  legal: string[];
}

/** An event of a seat stream or of a record; of a record's, cards are always listed. */
export interface GameEvent {
  type: string;
  seat?: number;
  start?: number;
  cards?: Card[] | number;
  card?: Card;
  action?: string;
  claim?: number;
  truth?: boolean;
  loser?: number;
  rewards?: number[];
  places?: number[];
  truncated?: boolean;
}

/** A game as my seat sees it, where I decide or after its end. */
export interface Update {
  /** Number of the decision that is waited for; an act names it. */
  decision: number;
  view: View;
  /** My seat stream from the start. */
  events: GameEvent[];
  /** The complete record, once the game is over. */
  record?: GameEvent[];
  /** Who sits at each seat, by level or name; null is the player. */
  sitting?: (string | null)[];
  /** Folder (URL) of a bot that may give hints in the page. */
  bot?: string;
  /** Whether the transport gives hints. */
  advice?: boolean;
}

/** What a new game may be. */
export interface Choices {
  players: number[];
  default_players: number;
  /** Who may sit in the other seats, by level or name, in turn; the first is the default. */
  bots: string[][];
  /** Whether the player may ask to start. */
  start: boolean;
}

/** What a new game shall be; `start` null: it is drawn who starts. */
export interface Choice {
  players: number;
  bots: string[] | null;
  start: "me" | null;
}

export interface Transport {
  choices(): Promise<Choices>;
  /** Start a game; everything is played up to my first decision. */
  start(choice: Choice): Promise<Update>;
  /** The game that was being played when the page was left, if any. */
  resume(): Promise<Update | null>;
  /** Act, by text, in the decision of that number; everything is played up to my next one. */
  act(decision: number, action: string): Promise<Update>;
  /** The game as it is now: asked for after a refusal as `stale`. */
  now(): Promise<Update>;
  /** What a bot would do in my place, in words. */
  hint(language: string): Promise<string>;
}

/** A request that was refused; `code` as in the bot protocol, such as `stale`. */
export class TransportError extends Error {
  override name = "TransportError";

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** What a server sends: an update, or a question to a bot that the page is to ask. */
interface Sent extends Update {
  table?: string;
  ask?: { seat: number; bot: string; view: View };
  words?: string;
}

/**
 * A server that holds games, as README.md describes it. The address of the page keeps the game's
 * id, behind `#`, which browsers tell nobody: a page that is loaded again goes on.
 */
export class HttpTransport implements Transport {
  private readonly bots = new Map<string, Promise<Bot>>();

  constructor(private readonly base: string) {}

  async choices(): Promise<Choices> {
    return (await this.post("choices", {})) as unknown as Choices;
  }

  async start(choice: Choice): Promise<Update> {
    const sent = await this.post("new", choice);
    history.replaceState(null, "", `#${sent.table}`);
    return this.played(sent);
  }

  async resume(): Promise<Update | null> {
    return this.table ? this.now() : null;
  }

  async act(decision: number, action: string): Promise<Update> {
    return this.played(await this.post("act", { table: this.table, decision, action }));
  }

  async now(): Promise<Update> {
    return this.played(await this.post("now", { table: this.table }));
  }

  async hint(lang: string): Promise<string> {
    return (await this.post("hint", { table: this.table, lang })).words ?? "";
  }

  private get table(): string {
    return decodeURIComponent(location.hash.slice(1));
  }

  /** Let bots of the page decide, where the server asks for it, up to my next decision. */
  private async played(sent: Sent): Promise<Update> {
    let last = sent;
    while (last.ask) {
      const { seat, bot, view } = last.ask;
      const { action } = await (await this.loaded(bot)).act(view);
      const { decision } = last;
      last = await this.post("act", { table: this.table, decision, action, seat });
    }
    return last;
  }

  private loaded(folder: string): Promise<Bot> {
    const bot = this.bots.get(folder) ?? import("kuku-bots").then((all) => all.loadBot(folder));
    this.bots.set(folder, bot);
    bot.catch(() => this.bots.delete(folder)); // the next time it may be there
    return bot;
  }

  private async post(path: string, body: object): Promise<Sent> {
    const answer = await fetch(`${this.base}/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }).catch((error: Error) => {
      throw new TransportError("unreachable", error.message);
    });
    const said = await answer.json().catch(() => ({}));
    if (answer.ok && !said.error) return said;
    const { code = "http", message = `HTTP status ${answer.status}` } = said.error ?? {};
    throw new TransportError(code, message);
  }
}
