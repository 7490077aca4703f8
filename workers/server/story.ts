import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { jsonLog } from '../json-log.ts'
import type { Runtime } from './runtime.ts'
import { startServer } from './server.ts'
import { readServerSettings } from './settings.ts'

const SILENCE_MS = 1_000
/** The time limit of each step, also on a busy machine. */
const WAIT_MAX_MS = 60_000

type Json = Record<string, unknown>
type Identified = Json & { readonly id: number }
type Line = {
  readonly what: string
  readonly state: string
  readonly errorCode: string
  readonly note: string
}

/** Plays the main job over HTTP on a server with temporary data, and prints what happened.
 * @throws {Error} if a step has another result than expected */
export async function tellStory(runtime: Runtime): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-once-'))
  const password = crypto.randomUUID()
  const settings = readServerSettings({
    TIDEMARK_DATA_DIR: dataDir,
    TIDEMARK_PORT: '0',
    TIDEMARK_ADMIN_PASSWORD: password,
  })
  const server = await startServer(settings, runtime, { log: jsonLog(() => undefined) })
  try {
    const lines = await play(new Visitor(server.url, password))
    process.stdout.write(table(lines))
  } finally {
    await server.close()
    await rm(dataDir, { recursive: true })
  }
}

async function play(visitor: Visitor): Promise<Line[]> {
  const lines: Line[] = []
  const tell = (what: string, job: Json, note = '') =>
    lines.push({
      what,
      state: String(job['currentState'] ?? job['state']),
      errorCode: String(job['errorCode']),
      note,
    })

  const device = await visitor.create('/devices?parentType=group&parentId=1', { name: 'gateway' })
  const job = await visitor.create(`/jobs?parentType=device&parentId=${device.id}`, {
    name: 'ping',
    parameters: {
      timeout: `PT${SILENCE_MS / 1000}S`,
      returnValue: [{ valueName: 'Round trip', valueUnit: 'ms' }],
    },
    thresholds: {
      minor: { mode: 'or', conditions: [{ key: 'returnValue1', operator: '>', value: 200 }] },
    },
  })
  const deliver = (body: Json) => visitor.post(`/webcollector/jobs/${job.id}/values`, body)
  tell('a device with a webhook job', job, 'minor above 200 ms; any error code is a warning')
  tell('delivers 12 ms', await deliver({ returnValue1: 12, errorCode: 0 }))
  tell('delivers 250 ms', await deliver({ returnValue1: 250, errorCode: 0 }), 'above the limit')
  tell('delivers 14 ms', await deliver({ returnValue1: 14, errorCode: 0 }), 'below it again')
  const silent = await visitor.waitFor(`/jobs/${job.id}`, ({ errorCode }) => errorCode === 5)
  tell(`is silent for ${SILENCE_MS / 1000} s`, silent, String(silent['message']))
  const left = await deliver({ returnValue1: 13 })
  const [warning] = left['warnings'] as readonly { readonly message: string }[]
  tell('delivers 13 ms without errorCode', left, warning?.message)
  tell('delivers 13 ms with errorCode 0', await deliver({ returnValue1: 13, errorCode: 0 }), 'healed')
  const history = await visitor.get(`/jobs/${job.id}/value-history?values=false`)
  const { count, min, max, avg } = history['aggregate'] as Record<string, number>
  if (count !== 5) throw new Error(`The history holds ${count} values; 5 were delivered.`)
  tell(
    'reads the history',
    await visitor.get(`/jobs/${job.id}`),
    `${count} values, ${min} to ${max} ms, on average ${avg} ms`,
  )
  return lines
}

class Visitor {
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>

  constructor(url: string, password: string) {
    this.#url = url
    this.#headers = {
      'content-type': 'application/json',
      authorization: `Basic ${btoa(`admin:${password}`)}`,
    }
  }

  get(path: string): Promise<Json> {
    return this.#request('GET', path)
  }

  post(path: string, body: Json): Promise<Json> {
    return this.#request('POST', path, JSON.stringify(body))
  }

  async create(path: string, body: Json): Promise<Identified> {
    return (await this.post(path, body)) as Identified
  }

  async waitFor(path: string, isThere: (body: Json) => boolean): Promise<Json> {
    const until = Date.now() + WAIT_MAX_MS
    for (;;) {
      const body = await this.get(path)
      if (isThere(body)) return body
      if (Date.now() > until) throw new Error(`Nothing happened at ${path} within ${WAIT_MAX_MS} ms.`)
      await sleep(50)
    }
  }

  async #request(method: string, path: string, body?: string): Promise<Json> {
    const signal = AbortSignal.timeout(WAIT_MAX_MS)
    const init = { method, headers: this.#headers, signal, ...(body === undefined ? {} : { body }) }
    const response = await fetch(this.#url + path, init)
    const answer = (await response.json()) as Json
    if (!response.ok)
      throw new Error(`${method} ${path} answered ${response.status}: ${String(answer['detail'])}`)
    return answer
  }
}

function table(lines: readonly Line[]): string {
  const head: Line = { what: 'Event', state: 'State', errorCode: 'Error code', note: '' }
  const all = [head, ...lines]
  const width = (column: keyof Line) => Math.max(...all.map((line) => line[column].length))
  const rows = all.map((line) =>
    (['what', 'state', 'errorCode', 'note'] as const)
      .map((column) => line[column].padEnd(width(column)))
      .join('  ')
      .trimEnd(),
  )
  return `\n${rows.join('\n')}\n\n`
}
