import { createInterface } from 'node:readline'

import { beat } from '../../src/automation/runs/protocol.ts'
import type { BeatOrders, BeatNews } from './heartbeats.ts'

// A process of its own, so that leases are renewed even while the runner is busy. Standard input names the active runs once a
// second, standard output reports the answers of the service. The process ends with its runner.

/** A runner that is silent for this long is stuck; its runs are better assigned to another runner. */
const STALLED_MS = 60_000
const ANSWER_MS = 10_000

let orders: BeatOrders | null = null
let orderedAt = 0
let timer: NodeJS.Timeout | null = null
const asking = new Set<string>()

for await (const line of createInterface({ input: process.stdin })) {
  const isFirst = orders === null
  orders = JSON.parse(line) as BeatOrders
  orderedAt = performance.now()
  if (isFirst) timer = setInterval(beatAll, orders.everyMs)
}
if (timer) clearInterval(timer)
process.exit(0)

function beatAll(): void {
  if (!orders || performance.now() - orderedAt > STALLED_MS) return
  const { url, token } = orders
  for (const { id, attemptToken } of orders.jobs) {
    if (asking.has(attemptToken)) continue
    asking.add(attemptToken)
    const headers = { authorization: `Bearer ${token}`, 'x-attempt-token': attemptToken }
    ask(`${url}/runner/v1/jobs/${encodeURIComponent(id)}/heartbeat`, headers)
      .then((news) => news && tell({ id, attemptToken, token, news }))
      .catch((error: unknown) => process.stderr.write(`${String(error)}\n`))
      .finally(() => asking.delete(attemptToken))
  }
}

/** @returns null when the service is unavailable or reports nothing */
async function ask(url: string, headers: Record<string, string>): Promise<BeatNews['news'] | null> {
  let answer: Response
  let body: unknown
  try {
    answer = await fetch(url, { method: 'POST', headers, signal: AbortSignal.timeout(ANSWER_MS) })
    body = await answer.json()
  } catch {
    // The service decides about a job whose heartbeats are missing.
    return null
  }
  if (answer.status === 401) return 'unknown'
  if (answer.status === 409 && (body as { code?: unknown }).code === 'fenced') return 'fenced'
  return answer.ok && beat.parse(body).cancel ? 'cancel' : null
}

function tell(news: BeatNews): void {
  process.stdout.write(`${JSON.stringify(news)}\n`)
}
