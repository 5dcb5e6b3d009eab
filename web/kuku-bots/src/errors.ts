/** Errors of this package; `code` is the one that the bot protocol has for it. */

/** A bot that is missing, damaged, or made for another game or layout. */
export class BotError extends Error {
  override name = "BotError";
  readonly code = "bad_bot";
}

/** A malformed view; `field` is the path of what is wrong, such as `claims[2].number`. */
export class ViewError extends Error {
  override name = "ViewError";
  readonly code = "bad_view";

  constructor(
    readonly field: string,
    readonly reason: string,
  ) {
    super(`${field}: ${reason}`);
  }
}

/** A table whose rules the bot is not meant for; `field` names the rule, such as `rules.reward`. */
export class RulesError extends Error {
  override name = "RulesError";
  readonly code = "wrong_rules";

  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message);
  }
}

/** A view in which the seat has nothing to decide. */
export class ActionError extends Error {
  override name = "ActionError";
  readonly code = "illegal_action";
}
