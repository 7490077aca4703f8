import { Refusal } from '../../src/lib/errors.ts'
import type { PermitRequest } from '../../src/ports/permits.ts'

/** Permits of each kind in an installation. */
const PERMITS_MAX: Readonly<Record<PermitRequest['kind'], number>> = { connection: 60, refresh: 8 }
const RETRY_AFTER_S = 5

type Held = Pick<PermitRequest, 'kind' | 'group'> & { readonly untilAt: number }
type Waiting = PermitRequest & {
  readonly admit: (id: number) => void
  readonly refuse: (error: Refusal) => void
}

/** Counts permits, in the order of the requests. One for the whole installation. */
export class PermitCounter {
  readonly #held = new Map<number, Held>()
  readonly #waiting = new Set<Waiting>()
  readonly #now: () => number
  #lastId = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /** @returns the number by which `leave` knows the permit @throws {Refusal} pool_exhausted */
  take(request: PermitRequest): Promise<number> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#refuse(waiting), request.waitMs)
      const waiting: Waiting = {
        ...request,
        admit(id) {
          clearTimeout(timer)
          resolve(id)
        },
        refuse: reject,
      }
      this.#waiting.add(waiting)
      this.#admit()
    })
  }

  leave(id: number): void {
    this.#held.delete(id)
    this.#admit()
  }

  #refuse(waiting: Waiting): void {
    // A lease may have run out meanwhile.
    this.#admit()
    if (!this.#waiting.delete(waiting)) return
    const detail =
      waiting.kind === 'connection'
        ? 'All connections to data sources are in use. Try again later.'
        : 'Too many refreshes are running. Try again later.'
    waiting.refuse(new Refusal('pool_exhausted', detail, [], RETRY_AFTER_S))
  }

  #admit(): void {
    const now = this.#now()
    for (const [id, { untilAt }] of this.#held) if (untilAt <= now) this.#held.delete(id)
    for (const waiting of this.#waiting) {
      if (!this.#isFree(waiting)) continue
      this.#waiting.delete(waiting)
      const { kind, group, leaseMs } = waiting
      this.#held.set(++this.#lastId, { kind, group, untilAt: now + leaseMs })
      waiting.admit(this.#lastId)
    }
  }

  #isFree({ kind, group, groupMax }: PermitRequest): boolean {
    const ofKind = [...this.#held.values()].filter((held) => held.kind === kind)
    return (
      ofKind.length < PERMITS_MAX[kind] && ofKind.filter((held) => held.group === group).length < groupMax
    )
  }
}
