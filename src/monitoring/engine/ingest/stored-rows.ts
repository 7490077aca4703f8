import type { DeliveredRound, Round, Sender } from '../../../domain/delivery.ts'
import { asRefusal } from '../../../lib/errors.ts'
import { maySend } from '../../jobs/delivery.ts'
import { outcomeAt, partOf, refusedAt } from '../../jobs/round.ts'
import type { Head } from '../head/head.ts'
import type { Job } from '../head/job.ts'
import type { Wal } from '../wal/wal.ts'
import { hasStored } from './dedupe.ts'
import type { StoredSamples } from './dedupe.ts'

type Lookup = { readonly head: Head; readonly samples: StoredSamples }

/** The values of a row that their jobs have stored already at its instant. */
export class StoredValues {
  readonly #round: Round
  readonly #indexes = new Set<number>()
  #late = 0

  private constructor(round: Round) {
    this.#round = round
  }

  /** One object for each row; null where samples have to be read. */
  static ofAll(rounds: readonly Round[], sender: Sender, lookup: Lookup): readonly StoredValues[] | null {
    const all = rounds.map((round) => StoredValues.#look(round, sender, lookup))
    return all.some(({ unknown }) => unknown.length > 0) ? null : all.map(({ stored }) => stored)
  }

  /** As `ofAll`, with what the samples tell. */
  static async readAll(
    rounds: readonly Round[],
    sender: Sender,
    lookup: Lookup,
  ): Promise<readonly StoredValues[]> {
    const all = rounds.map((round) => StoredValues.#look(round, sender, lookup))
    for (const { stored, unknown } of all) await stored.#read(unknown, lookup)
    return all.map(({ stored }) => stored)
  }

  static #look(round: Round, sender: Sender, lookup: Lookup) {
    const stored = new StoredValues(round)
    return { stored, unknown: round.isOnce ? stored.#find(sender, lookup) : [] }
  }

  /** Delivers the values that are not stored. @returns the outcome of the whole round */
  async deliverRest(wal: Wal, deliver: (round: Round) => Promise<DeliveredRound>): Promise<DeliveredRound> {
    const stored = this.#indexes
    if (stored.size === 0) return deliver(this.#round)
    // A stored value may still wait for its commit, and is lost with it.
    const committed = wal.durable.then(() => null, asRefusal)
    const places = [...this.#round.jobIds.keys()].filter((index) => !stored.has(index))
    const outcome = outcomeAt(await deliver(partOf(this.#round, places)), places)
    const lost = await committed
    if (lost) {
      const refused = [...outcome.refused, ...[...stored].map((index) => refusedAt(index, lost))]
      return { ...outcome, refused: refused.sort((a, b) => a.index - b.index) }
    }
    const accepted = outcome.accepted + stored.size
    const late = outcome.late + this.#late
    return { ...outcome, accepted, late, ...(outcome.accepted === 0 ? { replayed: true } : {}) }
  }

  /** @returns the indexes of values that only the samples tell about */
  #find(sender: Sender, { head }: Lookup): readonly number[] {
    const { key, timestampAt: at, jobIds, values } = this.#round
    const unknown: number[] = []
    if (at === null) return unknown
    for (let index = 0; index < jobIds.length; index++) {
      const job = head.find(jobIds[index] ?? 0)
      if (!job || at > (job.newestAt ?? Number.NEGATIVE_INFINITY) || !maySend(job, sender)) continue
      const isStored = hasStored(job, key, at, values[index] ?? 0)
      if (isStored) this.#add(index, job, at)
      else if (isStored === null) unknown.push(index)
    }
    return unknown
  }

  async #read(unknown: readonly number[], { head, samples }: Lookup): Promise<void> {
    const { key, timestampAt: at, jobIds, values } = this.#round
    for (const index of unknown) {
      const job = head.find(jobIds[index] ?? 0)
      if (!job || at === null) continue
      const stored = await samples.at(job.id, key, at)
      if (stored.includes(values[index] ?? 0)) this.#add(index, job, at)
    }
  }

  #add(index: number, job: Job, at: number): void {
    this.#indexes.add(index)
    if (at < (job.newestAt ?? 0)) this.#late++
  }
}
