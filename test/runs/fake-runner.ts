import type {
  AboutRunner,
  Assignment,
  Beat,
  Finished,
  LogLine,
  Polled,
} from '../../src/automation/runs/protocol.ts'

/** With what runners register at hosts under test. */
export const RUNNER_TOKEN = 'a-token-of-this-test-with-32-characters-or-more'

/** What a call was answered; `body` is null where it is not JSON. */
export type Said = {
  readonly status: number
  readonly code: unknown
  readonly body: unknown
  readonly bytes: Uint8Array
}

/** A call of a runner, as it goes over the wire. */
type Call = {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly signal?: AbortSignal
}

/** How a runner reaches the service. */
export type Wire = (
  path: string,
  call: Call,
) => Promise<{ status: number; bytes: Uint8Array; isJson: boolean }>

/** Over HTTP, as a runner does. */
export const wireTo =
  (url: string): Wire =>
  async (path, call) => {
    const response = await fetch(url + path, call)
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()), isJson }
  }

export const ABOUT: AboutRunner = {
  name: 'fake',
  labels: [],
  capabilities: ['python', 'shell', 'talend'],
  isolation: 'full',
  refusal: null,
  slots: 4,
  os: 'linux',
  version: '0.1.0',
}

/** A runner that speaks the protocol, and does what a test says in place of running anything. */
export class FakeRunner {
  readonly about: AboutRunner
  readonly #wire: Wire
  token = ''

  constructor(wire: Wire, about: Partial<AboutRunner> = {}) {
    this.#wire = wire
    this.about = { ...ABOUT, ...about }
  }

  async register(token = RUNNER_TOKEN): Promise<Said> {
    const said = await this.send('POST', '/runner/v1/register', { json: this.about, token })
    if (said.status === 200) this.token = String((said.body as { token: unknown }).token)
    return said
  }

  /** Jobs, once there are some. */
  async poll(free = 1, running: readonly string[] = [], signal?: AbortSignal): Promise<Assignment[]> {
    const said = await this.send('POST', '/runner/v1/poll', {
      json: { free, running },
      ...(signal && { signal }),
    })
    if (said.status !== 200) throw new Error(`A poll was answered ${said.status}.`)
    return (said.body as Polled).jobs
  }

  /** The one job that it is given next. */
  async next(): Promise<Held> {
    for (;;) {
      const [assignment] = await this.poll()
      if (assignment) return new Held(this, assignment)
    }
  }

  async send(
    method: string,
    path: string,
    {
      json,
      bytes,
      token = this.token,
      attemptToken,
      signal,
    }: {
      json?: unknown
      bytes?: Uint8Array<ArrayBuffer>
      token?: string
      attemptToken?: string
      signal?: AbortSignal
    } = {},
  ): Promise<Said> {
    const body = json === undefined ? bytes : JSON.stringify(json)
    const answer = await this.#wire(path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(attemptToken === undefined ? {} : { 'x-attempt-token': attemptToken }),
      },
      ...(body === undefined ? {} : { body }),
      ...(signal && { signal }),
    })
    const { status, bytes: got } = answer
    const read: unknown = answer.isJson ? JSON.parse(new TextDecoder().decode(got)) : null
    return { status, code: (read as { code?: unknown } | null)?.code, body: read, bytes: got }
  }
}

/** A job that a runner was given. */
export class Held {
  readonly assignment: Assignment
  readonly #runner: FakeRunner
  #sequence = 0

  constructor(runner: FakeRunner, assignment: Assignment) {
    this.#runner = runner
    this.assignment = assignment
  }

  get id(): string {
    return this.assignment.id
  }

  /** Says something of the job, by the token of the attempt. */
  say(
    method: string,
    what: string,
    body: { json?: unknown; bytes?: Uint8Array<ArrayBuffer> } = {},
  ): Promise<Said> {
    const { attemptToken } = this.assignment
    return this.#runner.send(method, `/runner/v1/jobs/${this.id}/${what}`, { ...body, attemptToken })
  }

  async begin(): Promise<Beat> {
    await must(this.say('PUT', 'accept'))
    return (await must(this.say('PUT', 'start', { json: { isolation: 'full' } }))).body as Beat
  }

  log(lines: readonly LogLine[], sequence = ++this.#sequence): Promise<Said> {
    return this.say('POST', 'logs', { json: { sequence, lines } })
  }

  finish(finished: Partial<Finished> = {}): Promise<Said> {
    const json = { outcome: 'succeeded', exitCode: 0, error: null, logLines: 0, ...finished }
    return this.say('PUT', 'finish', { json })
  }
}

/** The answer, once it is clear that it is a good one. */
export async function must(saying: Promise<Said>): Promise<Said> {
  const said = await saying
  if (said.status > 299) throw new Error(`A runner was answered ${said.status}: ${JSON.stringify(said.body)}`)
  return said
}
