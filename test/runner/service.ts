import { createHash } from 'node:crypto'

import type { Serve } from 'bun'

import {
  aboutRunner,
  finished,
  logChunk,
  LOG_CHUNK_LINES,
  LOG_CHUNK_MAX_BYTES,
  poll,
  progress,
  started,
} from '../../src/automation/runs/protocol.ts'
import type {
  AboutRunner,
  Assignment,
  Finished,
  LogLine,
  Poll,
  Progress,
  Started,
} from '../../src/automation/runs/protocol.ts'

const REGISTRATION_TOKEN = 'a-registration-token-of-32-characters'
const POLL_MS = 2_000

/** A job as a test asks for it: what it leaves out is empty. */
export type Order = Partial<Omit<Assignment, 'id' | 'files' | 'uploads' | 'script'>> & {
  readonly files: Readonly<Record<string, string | Uint8Array>>
  readonly uploads?: Readonly<Record<string, string>>
  readonly runner?: Assignment['script']['runner']
  readonly runnerFile?: string
  readonly dependencyManager?: Assignment['script']['dependencyManager']
}

/** The state of a job in the service. */
export type Known = {
  readonly assignment: Assignment
  readonly blobs: ReadonlyMap<string, Uint8Array>
  isFenced: boolean
  isCancelled: boolean
  isAccepted: boolean
  started: Started | null
  finished: Finished | null
  sequence: number
  heartbeats: number
  readonly lines: LogLine[]
  readonly progress: Progress[]
  readonly outputs: Map<string, string>
  /** Resolves when the runner has told how it ended. */
  readonly ended: Promise<Finished>
}

/** The service's half of the protocol of runners, as small as it can be, and as bad as a test wants it to be. */
export class TestService {
  readonly registrationToken: string = REGISTRATION_TOKEN
  readonly runners: AboutRunner[] = []
  readonly polls: Poll[] = []
  readonly jobs = new Map<string, Known>()
  /** The calls, such as `PUT accept`. */
  readonly calls: string[] = []
  readonly fetched: string[] = []
  /** Whether a call is heard, and its answer lost. */
  loses: (call: string) => boolean = () => false
  /** The promise that a call of an attempt awaits before it is handled. */
  holds: (call: string, attemptToken: string | null) => Promise<void> | null = () => null
  heartbeatMs = 100
  #tokens = new Set<string>()
  #waiting: Known[] = []
  #settle = new Map<string, (finished: Finished) => void>()
  #onJob: () => void = () => undefined
  #server: ReturnType<typeof Bun.serve> | null = null
  #port = 0

  static start(): TestService {
    const service = new TestService()
    service.resume()
    return service
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Begins to listen again, where it did before. */
  resume(): void {
    this.#server = Bun.serve({
      port: this.#port,
      hostname: '127.0.0.1',
      idleTimeout: 30,
      fetch: (request) => this.#answer(request),
    } satisfies Serve.Options<undefined>)
    this.#port = this.#server.port ?? 0
  }

  /** Is away: whoever calls is refused. */
  async pause(): Promise<void> {
    this.#onJob()
    await this.#server?.stop(true)
  }

  /** Knows no runner any more. */
  forgetRunners(): void {
    this.#tokens.clear()
  }

  order(order: Order): Known {
    const known = this.#jobFrom(order)
    this.jobs.set(known.assignment.id, known)
    this.#waiting.push(known)
    this.#onJob()
    return known
  }

  /** Gives a job up and to the next that asks. */
  orderAgain(former: Known, files: Order['files']): Known {
    former.isFenced = true
    const { id, attempt } = former.assignment
    const known = this.#jobFrom({ files, attempt: attempt + 1 }, id)
    this.jobs.set(id, known)
    this.#waiting.push(known)
    this.#onJob()
    return known
  }

  #jobFrom(
    { files, uploads = {}, runner = 'shell', runnerFile, dependencyManager = 'none', ...order }: Order,
    id = `j_${crypto.randomUUID()}`,
  ): Known {
    const blobs = new Map(
      [...entriesOf('files', files), ...entriesOf('uploads', uploads)].map(([key, content]) => [
        key,
        typeof content === 'string' ? new TextEncoder().encode(content) : content,
      ]),
    )
    const stored = (kind: string) =>
      [...blobs]
        .filter(([key]) => key.startsWith(`${kind}/`))
        .map(([key, bytes]) => ({
          path: key.slice(kind.length + 1),
          sha256: createHash('sha256').update(bytes).digest('hex'),
          sizeBytes: bytes.length,
        }))
    const assignment: Assignment = {
      id,
      attempt: 1,
      attemptToken: crypto.randomUUID(),
      script: {
        id: 1,
        name: 'script',
        runner,
        runnerFile: runnerFile ?? (runner === 'python' ? 'main.py' : 'run.sh'),
        dependencyManager,
      },
      files: stored('files'),
      uploads: stored('uploads'),
      directories: [],
      arguments: [],
      env: {},
      secretNames: [],
      timeoutMs: 0,
      network: [],
      filesystem: [],
      database: null,
      forecast: null,
      ...order,
    }
    const ended = new Promise<Finished>((resolve) => this.#settle.set(id, resolve))
    return {
      assignment,
      blobs,
      isFenced: false,
      isCancelled: false,
      isAccepted: false,
      started: null,
      finished: null,
      sequence: 0,
      heartbeats: 0,
      lines: [],
      progress: [],
      outputs: new Map(),
      ended,
    }
  }

  async #answer(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname.replace('/runner/v1', '')
    const verb = /^\/jobs\/[^/]+\/(.*)$/.exec(path)?.[1] ?? path.slice(1)
    const call = `${request.method} ${verb}`
    this.calls.push(call)
    await this.holds(call, request.headers.get('x-attempt-token'))
    const answer = await this.#answerTo(path, call, request)
    return this.loses(call) ? new Response(null, { status: 502 }) : answer
  }

  async #answerTo(path: string, call: string, request: Request): Promise<Response> {
    const token = request.headers.get('authorization')?.replace('Bearer ', '') ?? ''
    if (path === '/register') return this.#register(token, await request.json())
    if (!this.#tokens.has(token)) return problem(401, 'unauthenticated')
    if (path === '/poll') return this.#poll(poll.parse(await request.json()), request.signal)
    const known = this.jobs.get(path.split('/')[2] ?? '')
    if (!known) return problem(404, 'not_found')
    const isTheirs = known.assignment.attemptToken === request.headers.get('x-attempt-token')
    if (known.isFenced || !isTheirs) return problem(409, 'fenced')
    return this.#hear(known, call, request)
  }

  #register(token: string, body: unknown): Response {
    if (token !== REGISTRATION_TOKEN) return problem(401, 'unauthenticated')
    this.runners.push(aboutRunner.parse(body))
    const own = crypto.randomUUID()
    this.#tokens = new Set([own])
    return Response.json({
      runnerId: 1,
      token: own,
      pollMs: POLL_MS,
      heartbeatMs: this.heartbeatMs,
      leaseMs: 25_000,
    })
  }

  async #poll(body: Poll, signal: AbortSignal): Promise<Response> {
    this.polls.push(body)
    if (body.free > 0 && this.#waiting.length === 0) {
      await new Promise<void>((resolve) => {
        this.#onJob = resolve
        setTimeout(resolve, POLL_MS)
      })
    }
    if (signal.aborted) return Response.json({ jobs: [] })
    return Response.json({ jobs: this.#waiting.splice(0, body.free).map(({ assignment }) => assignment) })
  }

  async #hear(known: Known, call: string, request: Request): Promise<Response> {
    const [verb = '', ...rest] = call.split(' ')[1]?.split('/') ?? []
    const name = decodeURIComponent(rest.join('/'))
    if (verb === 'files' || verb === 'uploads') {
      this.fetched.push(name)
      return new Response(known.blobs.get(`${verb}/${name}`) as Uint8Array<ArrayBuffer>)
    }
    if (verb === 'outputs') {
      known.outputs.set(name, await request.text())
      return new Response(null, { status: 204 })
    }
    if (verb === 'finish') {
      known.finished ??= finished.parse(await request.json())
      this.#settle.get(known.assignment.id)?.(known.finished)
      return new Response(null, { status: 204 })
    }
    await this.#note(known, verb, request)
    return Response.json({ cancel: known.isCancelled })
  }

  async #note(known: Known, verb: string, request: Request): Promise<void> {
    if (verb === 'accept') known.isAccepted = true
    if (verb === 'heartbeat') known.heartbeats++
    if (verb === 'start') known.started = started.parse(await request.json())
    if (verb === 'progress') known.progress.push(progress.parse(await request.json()))
    if (verb !== 'logs') return
    const text = await request.text()
    if (Buffer.byteLength(text) > LOG_CHUNK_MAX_BYTES) throw new RangeError('A chunk is too large.')
    const chunk = logChunk.parse(JSON.parse(text))
    if (chunk.lines.length > LOG_CHUNK_LINES) throw new RangeError('Too many lines in a chunk.')
    if (chunk.sequence <= known.sequence) return
    if (chunk.sequence !== known.sequence + 1) throw new RangeError('A chunk is missing.')
    known.sequence = chunk.sequence
    known.lines.push(...chunk.lines)
  }
}

function entriesOf<Content>(kind: string, files: Readonly<Record<string, Content>>): [string, Content][] {
  return Object.entries(files).map(([path, content]) => [`${kind}/${path}`, content])
}

function problem(status: number, code: string): Response {
  return Response.json({ status, code, detail: code }, { status })
}
