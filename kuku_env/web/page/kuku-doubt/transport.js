/** Where games come from: the page knows nothing but what a transport hands to it. */
/** A request that was refused; `code` as in the bot protocol, such as `stale`. */
export class TransportError extends Error {
    code;
    name = "TransportError";
    constructor(code, message) {
        super(message);
        this.code = code;
    }
}
/**
 * A server that holds games, as README.md describes it. The address of the page keeps the game's
 * id, behind `#`, which browsers tell nobody: a page that is loaded again goes on.
 */
export class HttpTransport {
    base;
    bots = new Map();
    constructor(base) {
        this.base = base;
    }
    async choices() {
        return (await this.post("choices", {}));
    }
    async start(choice) {
        const sent = await this.post("new", choice);
        history.replaceState(null, "", `#${sent.table}`);
        return this.played(sent);
    }
    async resume() {
        return this.table ? this.now() : null;
    }
    async act(decision, action) {
        return this.played(await this.post("act", { table: this.table, decision, action }));
    }
    async now() {
        return this.played(await this.post("now", { table: this.table }));
    }
    async hint(lang) {
        return (await this.post("hint", { table: this.table, lang })).words ?? "";
    }
    get table() {
        return decodeURIComponent(location.hash.slice(1));
    }
    /** Let bots of the page decide, where the server asks for it, up to my next decision. */
    async played(sent) {
        let last = sent;
        while (last.ask) {
            const { seat, bot, view } = last.ask;
            const { action } = await (await this.loaded(bot)).act(view);
            const { decision } = last;
            last = await this.post("act", { table: this.table, decision, action, seat });
        }
        return last;
    }
    loaded(folder) {
        const bot = this.bots.get(folder) ?? import("kuku-bots").then((all) => all.loadBot(folder));
        this.bots.set(folder, bot);
        bot.catch(() => this.bots.delete(folder)); // the next time it may be there
        return bot;
    }
    async post(path, body) {
        const answer = await fetch(`${this.base}/${path}`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(body),
        }).catch((error) => {
            throw new TransportError("unreachable", error.message);
        });
        const said = await answer.json().catch(() => ({}));
        if (answer.ok && !said.error)
            return said;
        const { code = "http", message = `HTTP status ${answer.status}` } = said.error ?? {};
        throw new TransportError(code, message);
    }
}
