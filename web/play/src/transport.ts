/** Where games come from: the page knows nothing but what a transport hands to it. */

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
  /** Folder (URL) of a bot that may give hints. */
  bot?: string;
}

export interface Transport {
  /** Start a game with so many players; everything is played up to my first decision. */
  start(players: number): Promise<Update>;
  /** Act, by text, in the decision of that number; everything is played up to my next one. */
  act(decision: number, action: string): Promise<Update>;
  /** The game as it is now: asked for after a refusal as `stale`. */
  now(): Promise<Update>;
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

/**
 * A server that holds games: `POST new {"players"}`, `POST act {"game", "decision", "action"}` and
 * `POST now {"game"}` below `base`, answered with an Update and the key `game`, or with
 * `{"error": {"code", "message"}}`.
 */
export class HttpTransport implements Transport {
  private game: unknown;

  constructor(private readonly base: string) {}

  async start(players: number): Promise<Update> {
    const update = await this.post("new", { players });
    this.game = update.game;
    return update;
  }

  act(decision: number, action: string): Promise<Update> {
    return this.post("act", { game: this.game, decision, action });
  }

  now(): Promise<Update> {
    return this.post("now", { game: this.game });
  }

  private async post(path: string, body: object): Promise<Update & { game?: unknown }> {
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
