import * as z from 'zod'

import { beat, polled, registered } from '../../src/automation/runs/protocol.ts'
import type {
  AboutRunner,
  Assignment,
  Finished,
  LogChunk,
  Poll,
  Polled,
  Progress,
  Registered,
  Started,
} from '../../src/automation/runs/protocol.ts'
import { joined } from '../../src/lib/chunks.ts'
import type { Log } from '../../src/ports/log.ts'
import { Complaints } from './complaints.ts'
import { pauseOf, sleep } from './pauses.ts'

/** The time limit of an answer, except for the answer to a poll. */
const ANSWER_MS = 30_000
/** The time limit of the last report of a runner. */
const FAREWELL_MS = 500
/** An answer that is neither a file nor runs. */
const ANSWER_MAX_BYTES = 1024 * 1024
/** The bytes of an assignment: twice the sum of the bounds of a script's configuration, paths and parameters. */
const ASSIGNMENT_MAX_BYTES = 16 * 1024 * 1024
/** A service that restarts answers before. */
const TRIES_UNTIL_WARNED = 3

/** The operator's remedy for an answer, by its status; 0 stands for no answer. */
const REMEDIES: Readonly<Record<number, string>> = {
  0: 'Check TIDEMARK_RUNNER_URL, and that the service is running.',
  401: 'Set TIDEMARK_RUNNER_TOKEN of this runner to the value that the service has.',
  404: 'Check TIDEMARK_RUNNER_URL: it must end with the context path of the service (TIDEMARK_BASE_PATH).',
  501: 'Set TIDEMARK_RUNNER_TOKEN of the service to the value that this runner has, and restart the service.',
}

/** The service has given up the attempt: another runner may have the run. */
class Fenced extends Error {
  override readonly name = 'Fenced'
}

/** The service refused a call for good: a repetition changes nothing. */
export class Refused extends Error {
  override readonly name = 'Refused'

  constructor(
    readonly status: number,
    readonly detail: string,
  ) {
    super(`The service answered ${status}: ${detail}`)
  }
}

type ServiceCall = {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly json?: unknown
  readonly body?: Uint8Array
  readonly attemptToken?: string
  readonly timeoutMs?: number
  /** The maximum size of the answer. */
  readonly bytesMax?: number
  readonly signal: AbortSignal
}

/** An answer, read whole. */
type Answer = {
  /** 0 where there was none, and why is in `bytes`. */
  readonly status: number
  readonly retryAfterS: number
  readonly bytes: Uint8Array<ArrayBuffer>
}

export type ClientParts = {
  /** Of the service, without a slash at the end. */
  readonly url: string
  readonly registrationToken: string
  readonly about: AboutRunner
  readonly log: Log
  /** Ends what waits for the service when the runner ends. */
  readonly signal: AbortSignal
}

/** The calls of a runner to its service. A call is repeated until it is answered, its signal is aborted, or the service refuses it
 * for good. A call that reaches the service twice has the effect of one. */
export class Client {
  readonly #parts: ClientParts
  readonly #complaints: Complaints
  #registered: Registered | null = null
  #registering: Promise<Registered> | null = null

  constructor(parts: ClientParts) {
    this.#parts = parts
    this.#complaints = new Complaints(parts.log)
  }

  /** The registration of this runner, made at the first call. */
  async registration(): Promise<Registered> {
    if (this.#registered) return this.#registered
    this.#registering ??= this.#register().finally(() => (this.#registering = null))
    return this.#registering
  }

  /** Drops a token that the service does not know any more: the next call registers again. */
  forget(token: string): void {
    if (this.#registered?.token === token) this.#registered = null
  }

  /** Waits for jobs, for as long as the service demands. */
  async poll(json: Poll): Promise<Polled> {
    const { pollMs } = await this.registration()
    const timeoutMs = pollMs + ANSWER_MS
    const { signal } = this.#parts
    const bytesMax = ANSWER_MAX_BYTES + json.free * ASSIGNMENT_MAX_BYTES
    const call = { method: 'POST', path: '/poll', json, timeoutMs, bytesMax, signal } as const
    return polled.parse(jsonOf(await this.#call(call)))
  }

  /** Reports once that no run is left, before the runner ends. */
  async leave(): Promise<void> {
    if (!this.#registered) return
    const json: Poll = { free: 0, running: [] }
    const signal = AbortSignal.timeout(FAREWELL_MS)
    await this.#ask({ method: 'POST', path: '/poll', json, signal }, this.#registered.token)
  }

  /** The calls about one attempt at a run. They throw `Fenced` after the service has given the attempt up. */
  attempt({ id, attemptToken }: Attempt, { signal, onCancel, onFenced }: Listening): AttemptClient {
    const path = `/jobs/${encodeURIComponent(id)}`
    const say: SendCall = async (part) => {
      try {
        return await this.#call({ ...part, path: path + part.path, attemptToken, signal })
      } catch (error) {
        if (error instanceof Fenced) onFenced()
        throw error
      }
    }
    return new AttemptClient(say, onCancel)
  }

  async #register(): Promise<Registered> {
    const { registrationToken, about, signal } = this.#parts
    const call = { method: 'POST', path: '/register', json: about, signal } as const
    const answer = await this.#untilAnswered(call, () => Promise.resolve(registrationToken))
    this.#registered = registered.parse(jsonOf(answer))
    return this.#registered
  }

  #call(call: ServiceCall): Promise<Answer> {
    return this.#untilAnswered(call, async () => (await this.registration()).token)
  }

  async #untilAnswered(call: ServiceCall, tokenOf: () => Promise<string>): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      const token = await tokenOf()
      const answer = await this.#ask(call, token)
      call.signal.throwIfAborted()
      if (isGood(answer)) {
        this.#complaints.over()
        return answer
      }
      // The service has lost the registration, or another runner has registered by the same name.
      const isStale = answer.status === 401 && this.#registered?.token === token
      if (isStale) this.forget(token)
      else if (!isTransient(answer.status)) throw refusalOf(call, answer)
      // A missing setting does not repair itself.
      if (tries >= TRIES_UNTIL_WARNED || answer.status === 501) this.complain(answer.status, detailOf(answer))
      await sleep(pauseOf(tries, answer.retryAfterS), call.signal)
    }
  }

  /** Logs why the runner gets no work, with a remedy. @param status 0 for no answer */
  complain(status: number, detail: string): void {
    const message =
      status === 0 ? 'runner: the service does not answer' : 'runner: the service refuses this runner'
    const remedy = REMEDIES[status]
    const about = { url: this.#parts.url, status, detail, ...(remedy !== undefined && { remedy }) }
    this.#complaints.warn(`${message}; retrying`, about)
  }

  async #ask(call: ServiceCall, token: string): Promise<Answer> {
    const { method, path, json, body, attemptToken, signal } = call
    const { timeoutMs = ANSWER_MS, bytesMax = ANSWER_MAX_BYTES } = call
    try {
      const answer = await fetch(`${this.#parts.url}/runner/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(attemptToken === undefined ? {} : { 'x-attempt-token': attemptToken }),
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: json === undefined ? (body ?? null) : JSON.stringify(json),
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      })
      const { status, headers } = answer
      const bytes = await bodyOf(answer, bytesMax)
      return { status, retryAfterS: Number(headers.get('retry-after') ?? 0), bytes }
    } catch (error) {
      if (error instanceof Refused) throw error
      const cause = error instanceof Error ? error.message : String(error)
      return { status: 0, retryAfterS: 0, bytes: new TextEncoder().encode(cause) }
    }
  }
}

type Attempt = { readonly id: string; readonly attemptToken: string }

type Listening = {
  readonly signal: AbortSignal
  /** The run was cancelled; called for every later answer as well. */
  readonly onCancel: () => void
  /** The service has given the attempt up. */
  readonly onFenced: () => void
}

type FileFacts = Pick<Assignment['files'][number], 'path' | 'sizeBytes'>

type SendCall = (call: Pick<ServiceCall, 'method' | 'path' | 'json' | 'body' | 'bytesMax'>) => Promise<Answer>

/** The calls about one attempt at a run. */
export class AttemptClient {
  readonly #say: SendCall
  readonly #onCancel: () => void

  constructor(say: SendCall, onCancel: () => void) {
    this.#say = say
    this.#onCancel = onCancel
  }

  async accept(): Promise<void> {
    this.#hear(await this.#say({ method: 'PUT', path: '/accept' }))
  }

  async start(json: Started): Promise<void> {
    this.#hear(await this.#say({ method: 'PUT', path: '/start', json }))
  }

  async logs(json: LogChunk): Promise<void> {
    this.#hear(await this.#say({ method: 'POST', path: '/logs', json }))
  }

  async progress(json: Progress): Promise<void> {
    this.#hear(await this.#say({ method: 'POST', path: '/progress', json }))
  }

  async output(name: string, body: Uint8Array): Promise<void> {
    await this.#say({ method: 'PUT', path: `/outputs/${encodeURIComponent(name)}`, body })
  }

  async finish(json: Finished): Promise<void> {
    await this.#say({ method: 'PUT', path: '/finish', json })
  }

  async file({ path, sizeBytes }: FileFacts): Promise<Uint8Array<ArrayBuffer>> {
    const parts = path.split('/').map((part) => encodeURIComponent(part))
    return this.#download(`/files/${parts.join('/')}`, sizeBytes)
  }

  async upload({ path, sizeBytes }: FileFacts): Promise<Uint8Array<ArrayBuffer>> {
    return this.#download(`/uploads/${encodeURIComponent(path)}`, sizeBytes)
  }

  async #download(path: string, bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
    return (await this.#say({ method: 'GET', path, bytesMax })).bytes
  }

  #hear(answer: Answer): void {
    if (beat.parse(jsonOf(answer)).cancel) this.#onCancel()
  }
}

/** @returns nothing of a larger body of a refusal, which can come from a server between this runner and the service
 * @throws {Refused} for a larger body of an answer */
async function bodyOf(answer: Response, bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  // Leaving the loop cancels the body.
  const body: AsyncIterable<Uint8Array> | null = answer.body
  for await (const chunk of body ?? []) {
    sizeBytes += chunk.byteLength
    if (sizeBytes > bytesMax) {
      if (answer.ok) throw new Refused(answer.status, `The answer has more than ${bytesMax} bytes.`)
      return new Uint8Array()
    }
    chunks.push(chunk)
  }
  return joined(chunks, sizeBytes)
}

const problem = z.object({ code: z.string(), detail: z.string().default('') })

function refusalOf({ attemptToken }: ServiceCall, answer: Answer): Error {
  const said = problemIn(answer)
  const isFenced = answer.status === 409 && said?.code === 'fenced'
  if (attemptToken !== undefined && isFenced) return new Fenced(said?.detail)
  return new Refused(answer.status, said?.detail ?? '')
}

function problemIn(answer: Answer) {
  try {
    return problem.safeParse(jsonOf(answer)).data
  } catch {
    return undefined
  }
}

function detailOf(answer: Answer): string {
  return answer.status === 0 ? textOf(answer) : (problemIn(answer)?.detail ?? '')
}

function isGood({ status }: Answer): boolean {
  return status >= 200 && status < 300
}

const jsonOf = (answer: Answer): unknown => JSON.parse(textOf(answer))

const textOf = ({ bytes }: Answer): string => new TextDecoder().decode(bytes)

function isTransient(status: number): boolean {
  return status === 0 || status >= 500 || status === 429 || status === 408
}
