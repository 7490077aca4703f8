import { join } from 'node:path'

import { expect } from 'bun:test'

const FOLDER = join(import.meta.dir, '../snapshots')

/** Compares a text with the committed one; with UPDATE_SNAPSHOTS=1 it is written instead, for review in the diff. */
export async function expectSnapshot(name: string, text: string): Promise<void> {
  const path = join(FOLDER, name)
  if (process.env['UPDATE_SNAPSHOTS'] === '1') await Bun.write(path, text)
  expect(text).toBe(await Bun.file(path).text())
}
