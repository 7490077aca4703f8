import { expect, setDefaultTimeout, test } from 'bun:test'

import { sweepGenerations } from '../../src/data/tables/service.ts'
import type { Ports } from '../../src/ports/index.ts'
import { importedOf } from './compare.ts'
import { importTable, PASSPHRASE, startWorld } from './world.ts'

setDefaultTimeout(180_000)
const LATER_MS = 2 * 60 * 60_000

/** The ports, in which something is done before a table is read whole. */
function withDelayedRead(ports: Ports, before: () => Promise<void>): Ports {
  const tables = new Proxy(ports.tables, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return async (...args: readonly unknown[]) => {
        if (name === 'read') await before()
        return (member as (...all: readonly unknown[]) => unknown).apply(target, [...args])
      }
    },
  })
  return { ...ports, tables }
}

test('a table that is replaced during a backup is in it as it was; the sweep deletes its rows after the backup', async () => {
  let replace: () => Promise<void> = () => Promise.resolve()
  const world = await startWorld('bun', (ports) => withDelayedRead(ports, () => replace()))
  const generations = () => world.rows('select id from data_generations')
  const sweep = async () => {
    const { ports } = world
    if (!ports) throw new Error('There are no ports')
    await sweepGenerations({ ...ports, clock: { ...ports.clock, now: () => ports.clock.now() + LATER_MS } })
  }
  try {
    const source = await importTable(world)
    const before = await importedOf(world)
    replace = async () => {
      await importTable(world, { source, mode: 'replace', rows: 1 })
      await sweep()
      expect(await generations()).toHaveLength(2)
    }
    const { url } = await world.good<{ url: string }>('POST', '/backups', {
      json: { passphrase: PASSPHRASE },
    })
    await sweep()
    expect(await generations()).toHaveLength(1)
    expect((await importedOf(world))[1]).toHaveLength(2)
    await world.good('POST', `${url}/restore`, { json: { passphrase: PASSPHRASE, replace: true } })
    await world.signIn()
    expect(await importedOf(world)).toEqual(before)
    await sweep()
    expect(await generations()).toHaveLength(1)
    // Of a backup without files nothing of the tables comes back, and nothing is left behind.
    const { url: bare } = await world.good<{ url: string }>('POST', '/backups', {
      json: { passphrase: PASSPHRASE, files: false },
    })
    await world.good('POST', `${bare}/restore`, { json: { passphrase: PASSPHRASE, replace: true } })
    await world.signIn()
    expect(await world.rows('select id from data_tables')).toEqual([])
    await sweep()
    expect(await generations()).toEqual([])
  } finally {
    await world.close()
  }
})
