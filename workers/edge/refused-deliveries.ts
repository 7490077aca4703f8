import type { DurableObjectStorage } from '@cloudflare/workers-types'

import type { RefusedDelivery } from '../../src/domain/refused-delivery.ts'
import { TokenBucket } from '../../src/lib/token-bucket.ts'
import { RefusalMemory } from '../../src/monitoring/jobs/refusals/memory.ts'
import type { Log } from '../../src/ports/log.ts'
import type { RefusedDeliveries } from '../../src/ports/refused-deliveries.ts'
import { clock } from './clock.ts'
import type { Environment } from './environment.ts'
import { objectOfJob } from './object-of-job.ts'

/** The rate at which an isolate sends refusals to objects: each costs a call. */
const SENT = { burst: 50, perSecond: 10 }
const STORED = 'refused deliveries'
/** An object stores its refusals at most once in this time. An eviction of the object loses later refusals. */
const STORE_MS = 60_000

/** The refused deliveries of jobs in the Durable Objects of the jobs. */
export function refusedDeliveriesInObjects(
  namespace: Environment['JOB'],
  log: Log,
  inBackground: (work: Promise<unknown>) => void,
): RefusedDeliveries {
  const bucket = new TokenBucket(SENT)
  return {
    record(jobId, refused) {
      if (!bucket.take(clock.now())) return
      const sent = objectOfJob(namespace, jobId).recordRefusal(jobId, refused)
      inBackground(
        sent.catch((error: unknown) =>
          log.error('jobs: recording a refused delivery failed; it is not listed', error, { jobId }),
        ),
      )
    },
    list: async (jobId) => objectOfJob(namespace, jobId).refusals(jobId),
  }
}

/** The refused deliveries of one job in memory, with a copy in the object's storage. */
export class StoredRefusals {
  readonly #storage: DurableObjectStorage
  #memory: RefusalMemory | null = null
  #storedAt = 0

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  record(jobId: number, refused: RefusedDelivery): void {
    const memory = this.#load(jobId)
    memory.record(jobId, refused)
    const now = clock.now()
    if (now - this.#storedAt < STORE_MS) return
    this.#storedAt = now
    this.#storage.kv.put(STORED, memory.read(jobId))
  }

  list(jobId: number): readonly RefusedDelivery[] {
    return this.#load(jobId).read(jobId)
  }

  /** The object ends. */
  forget(): void {
    this.#memory = null
    this.#storedAt = 0
  }

  #load(jobId: number): RefusalMemory {
    if (this.#memory) return this.#memory
    const memory = new RefusalMemory()
    const stored = this.#storage.kv.get<readonly RefusedDelivery[]>(STORED) ?? []
    for (const one of stored.toReversed()) memory.record(jobId, one)
    this.#memory = memory
    return memory
  }
}
