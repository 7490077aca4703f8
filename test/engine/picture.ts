import { expect } from 'bun:test'

import { BEGIN_AT } from './rules.ts'
import type { Stage } from './stage.ts'

/** The answers to readers of these jobs: their states, and their samples of each key. */
export async function pictureOf(
  { engine }: Stage,
  { jobIds, keys }: { readonly jobIds: readonly number[]; readonly keys: readonly string[] },
): Promise<unknown> {
  await engine.settled()
  const query = { beginAt: 0, endAt: BEGIN_AT * 2, skip: 0, limit: 10_000 }
  return Promise.all(
    jobIds.map(async (id) => ({
      snapshot: await engine.snapshot(id),
      series: await Promise.all(keys.map((key) => engine.samples(id, { ...query, key }))),
    })),
  )
}

/** Sees that a stage shows what another does, also after a crash, and closes both. */
export async function endAlike(
  stage: Stage,
  other: Stage,
  look: (stage: Stage) => Promise<unknown>,
): Promise<void> {
  const picture = await look(other)
  expect(await look(stage)).toEqual(picture)
  await stage.crash()
  expect(await look(stage)).toEqual(picture)
  await Promise.all([stage.close(), other.close()])
}
