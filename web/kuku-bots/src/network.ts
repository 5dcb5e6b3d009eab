/** `policy.onnx`, played by onnxruntime-web on one thread. */

import * as ort from "onnxruntime-web/wasm";
import { BotError } from "./errors.js";
import type { Layout } from "./layout.js";

const INPUTS = ["observation", "action_mask"];

/** Outputs by name, one row each. */
export type Answers = Record<string, Float32Array>;

let turn: Promise<unknown> = Promise.resolve();

/**
 * Do one thing after the other, whatever asks for it: all networks share one WebAssembly memory,
 * which calls that overlap corrupt.
 */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = turn.then(work);
  turn = mine.catch(() => undefined);
  return mine;
}

export class Network {
  private constructor(
    private readonly session: ort.InferenceSession,
    private readonly layout: Layout,
  ) {}

  /** Throws BotError for what is no network of this layout. */
  static async open(graph: Uint8Array, layout: Layout): Promise<Network> {
    // More threads need headers that plain web servers do not send, and gain nothing here.
    ort.env.wasm.numThreads = 1;
    const network = new Network(await inTurn(() => session(graph)), layout);
    const mask = new Int8Array(layout.num_actions).fill(1);
    try {
      const { probabilities } = await network.run(new Int8Array(layout.size), mask);
      if (probabilities?.length === layout.num_actions) return network;
    } catch (error) {
      throw new BotError(`policy.onnx does not fit the layout: ${(error as Error).message}`);
    }
    throw new BotError(`policy.onnx must give ${layout.num_actions} probabilities`);
  }

  /** Names of what the network gives. */
  get outputs(): readonly string[] {
    return this.session.outputNames;
  }

  /** What the network says of one situation. */
  run(observation: Int8Array, mask: Int8Array): Promise<Answers> {
    return inTurn(() => this.runNow(observation, mask));
  }

  /** Free the memory, after what is still running. */
  release(): Promise<void> {
    return inTurn(() => this.session.release());
  }

  private async runNow(observation: Int8Array, mask: Int8Array): Promise<Answers> {
    const given = await this.session.run({
      observation: new ort.Tensor("int8", observation, [1, this.layout.size]),
      action_mask: new ort.Tensor("int8", mask, [1, this.layout.num_actions]),
    });
    const rows = Object.entries(given).map(([name, tensor]) => [name, tensor.data] as const);
    return Object.fromEntries(rows) as Answers;
  }
}

async function session(graph: Uint8Array): Promise<ort.InferenceSession> {
  let made: ort.InferenceSession;
  try {
    made = await ort.InferenceSession.create(graph, {
      executionProviders: ["wasm"],
      logSeverityLevel: 3,
    });
  } catch (error) {
    throw new BotError(`policy.onnx cannot be loaded: ${(error as Error).message}`);
  }
  const inputs = [...made.inputNames].sort().join() === [...INPUTS].sort().join();
  if (inputs && made.outputNames.includes("probabilities")) return made;
  await made.release();
  throw new BotError(`policy.onnx must take ${INPUTS.join(" and ")} and give probabilities`);
}
