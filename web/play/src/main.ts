/** Starts the page with the server that it came from. */

import { Page } from "./page.js";
import { HttpTransport } from "./transport.js";

const main = document.createElement("main");
document.body.append(main);
const language = navigator.language.startsWith("ja") ? "ja" : "en";
void new Page(main, new HttpTransport("play"), language).open();
