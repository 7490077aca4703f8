import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { FAST_DIR } from '../hosts/fast-dir.ts'
import type { JobView } from '../../src/automation/runs/schema.ts'
import { startServer } from '../../workers/bun/server.ts'
import { readServerSettings } from '../../workers/server/settings.ts'
import { jsonLog } from '../../workers/json-log.ts'
import { lightHash } from '../hosts/light-hash.ts'
import { connectAdministrator } from '../api/client.ts'
import { ADMIN } from '../hosts/host.ts'
import { control } from '../faults/bounds.ts'
import { RUNNER_TOKEN, wireTo } from './fake-runner.ts'
import type { Wire } from './fake-runner.ts'
import { Ledger, Node, problemsIn } from './many.ts'
import type { Ordered } from './many.ts'

/** `npm run faults:runs` has 10,000. */
const JOBS = Number(process.env['TIDEMARK_TEST_SCRIPT_RUNS'] ?? 60)
const SCRIPTS = 20
const NODES = 4
const LANES = 8
const TEST_MAX_MS = 3_600_000

/** What stands in the way of calls: nothing, but in the tests that must fail. */
type Around = (wire: Wire) => Wire
const nothing: Around = (wire) => wire

/** Orders jobs, has them run, and kills runners and the service meanwhile.
 * @returns what is not as it should be, and how often something died */
async function play(jobs: number, around: Around) {
  const dataDir = await mkdtemp(join(FAST_DIR, 'tidemark-runs-'))
  const variables = {
    TIDEMARK_DATA_DIR: dataDir,
    TIDEMARK_ADMIN_PASSWORD: ADMIN.password,
    TIDEMARK_RUNNER_TOKEN: RUNNER_TOKEN,
  }
  const logs: string[] = []
  const log = jsonLog((line) => logs.push(line))
  const seams = { log, scrypt: lightHash }
  const start = (port: string) =>
    startServer(readServerSettings({ ...variables, TIDEMARK_PORT: port }), seams)
  let server = await start('0')
  const { url } = server
  const { sessionId, request } = await connectAdministrator({
    name: 'bun',
    url,
    logs,
    key: server.ports.secrets.key,
    setupLink: () => Promise.resolve(null),
    close: () => server.close(),
  })
  const wire = around(wireTo(url))
  const scripts = await Promise.all(
    Array.from({ length: SCRIPTS }, async (_, at) => {
      const { body } = await request('POST', '/scripts', { json: { name: `script ${at}` } })
      const id = Number(body['id'])
      const retries = at % 2 === 0 ? 10 : 0
      await request('PUT', `/scripts/${id}/files/run.sh`, { text: 'true\n' })
      await request('POST', `/scripts/${id}/runConfigurations`, { json: { name: 'only', retries } })
      return { id, retries }
    }),
  )
  const ledger = new Ledger()
  const nodes = Array.from({ length: NODES }, (_, at) => new Node(wire, `node ${at}`, ledger))
  const ordered: Ordered[] = []
  const queue = Array.from({ length: jobs }, (_, at) => at).values()
  const order = async () => {
    for (const at of queue) {
      const { id, retries } = scripts[at % SCRIPTS] ?? { id: 0, retries: 0 }
      const headers = {
        'x-session-id': sessionId,
        'content-type': 'application/json',
        'idempotency-key': `order-${at}`,
      }
      for (;;) {
        const said = await wire(`/scripts/${id}/run`, { method: 'POST', headers, body: '{}' }).catch(
          () => null,
        )
        if (said?.status === 202) {
          ordered.push({ id: (JSON.parse(new TextDecoder().decode(said.bytes)) as JobView).id, retries })
          break
        }
        await Bun.sleep(PAUSE_MS)
      }
    }
  }
  const orders = Promise.all(Array.from({ length: LANES }, order))
  let [killed, restarted] = [0, 0]
  // Who was lost with a runner may not come to an end of its own.
  const ended = () => new Set([...ledger.ended.keys(), ...ledger.orphans]).size
  // By what has been done, and not by the clock: whatever the machine does besides, all of it happens in the middle.
  for (let share = 1; share <= 9; share++) {
    while (ended() < (jobs * share) / 10 - NODES) await Bun.sleep(PAUSE_MS)
    const victim = share % NODES
    await nodes[victim]?.kill()
    nodes[victim] = new Node(wire, `node ${victim}`, ledger)
    killed++
    if (share % 3 !== 0) continue
    await server.close()
    server = await start(new URL(url).port)
    restarted++
  }
  await orders
  const isOver = async () => {
    const running = (await (
      await fetch(`${url}/runners`, { headers: { 'x-session-id': sessionId } })
    ).json()) as {
      running: number
    }[]
    const { scripts: health } = (await (await fetch(`${url}/readyz`)).json()) as {
      scripts: { waiting: number }
    }
    return health.waiting === 0 && running.every((one) => one.running === 0)
  }
  while (!(await isOver())) await Bun.sleep(PAUSE_MS)
  const found = new Map<string, JobView>()
  for (const { id } of scripts) {
    for (let path = `/scripts/${id}/jobs?limit=100`; path !== '';) {
      const page = await request('GET', path)
      for (const job of page.body as unknown as JobView[]) found.set(job.id, job)
      path = /^<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
    }
  }
  await Promise.all(nodes.map((node) => node.kill()))
  await server.close()
  await rm(dataDir, { recursive: true })
  const began = [...ledger.begun.values()].flat().length
  return {
    problems: problemsIn(ledger, ordered, found),
    killed,
    restarted,
    began,
    orphans: ledger.orphans.size,
  }
}

const PAUSE_MS = 10

test(
  `of ${JOBS} short jobs none is lost and none is done twice while runners are killed and the service starts anew`,
  async () => {
    const { problems, killed, restarted, began, orphans } = await play(JOBS, nothing)
    expect(problems).toEqual([])
    expect([killed, restarted]).toEqual([9, 3])
    // Somebody had something when it died: else nothing of this was tried.
    expect(orphans).toBeGreaterThan(0)
    process.stdout.write(`${JOBS} jobs: ${began} attempts began, ${orphans} jobs lost their runner\n`)
  },
  TEST_MAX_MS,
)

control(
  'an end that is lost on the way is noticed',
  async () => {
    let count = 0
    const { problems } = await play(60, (wire) => (path, call) => {
      const isTaken = path.endsWith('/finish') && ++count % 7 === 0
      return isTaken
        ? Promise.resolve({ status: 204, bytes: new Uint8Array(), isJson: false })
        : wire(path, call)
    })
    expect(problems.length).toBeGreaterThan(0)
  },
  TEST_MAX_MS,
)

control(
  'a job that was taken and never kept is noticed',
  async () => {
    let count = 0
    const { problems } = await play(60, (wire) => (path, call) => {
      if (!path.endsWith('/run') || ++count % 10 !== 0) return wire(path, call)
      const id = `j_${String(count).padStart(26, '0')}`
      const bytes = new TextEncoder().encode(JSON.stringify({ id }))
      return Promise.resolve({ status: 202, bytes, isJson: true })
    })
    expect(problems.filter((one) => one.includes('not there')).length).toBeGreaterThanOrEqual(6)
  },
  TEST_MAX_MS,
)
