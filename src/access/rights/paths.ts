import { refusalIn } from '../../lib/errors.ts'

/** An object that was moved is found where it was for this long at most. */
const KNOWN_MS = 10_000
const PATHS_MAX = 100_000

type CachedPath = { readonly path: string; readonly foundAt: number }
type Row = { readonly id: number; readonly path: string }

/** A cache of the paths of objects for deliveries. Known paths stay valid while the database is unavailable. */
export class Paths {
  readonly #known = new Map<number, CachedPath>()

  /** The path of each of these objects that is there.
   * @param ask is asked once, for those that are not known */
  async find(
    ids: readonly number[],
    now: number,
    ask: (ids: readonly number[]) => Promise<readonly Row[]>,
  ): Promise<ReadonlyMap<number, string>> {
    const missing = ids.filter((id) => !this.#isFresh(id, now))
    if (missing.length > 0) await this.#learn(missing, now, ask)
    return new Map(ids.flatMap((id) => [[id, this.#known.get(id)?.path] as const]).filter(isThere))
  }

  #isFresh(id: number, now: number): boolean {
    const known = this.#known.get(id)
    // The clock may have been set back.
    return known !== undefined && Math.abs(now - known.foundAt) < KNOWN_MS
  }

  async #learn(
    missing: readonly number[],
    now: number,
    ask: (ids: readonly number[]) => Promise<readonly Row[]>,
  ): Promise<void> {
    let rows: readonly Row[]
    try {
      rows = await ask(missing)
    } catch (error) {
      const isAway = refusalIn(error)?.code === 'unavailable'
      if (isAway && missing.every((id) => this.#known.has(id))) return
      throw error
    }
    if (this.#known.size + rows.length > PATHS_MAX) this.#known.clear()
    for (const id of missing) this.#known.delete(id)
    for (const { id, path } of rows) this.#known.set(id, { path, foundAt: now })
  }
}

function isThere(entry: readonly [number, string | undefined]): entry is readonly [number, string] {
  return entry[1] !== undefined
}
