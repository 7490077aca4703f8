import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { FAST_DIR } from '../hosts/fast-dir.ts'
import { openLibsql } from '../../workers/server/libsql.ts'
import { valuesInLibsql } from '../../workers/server/values.ts'
import { startValuesObject } from '../hosts/engine-world.ts'
import { valuesDatabaseContract } from './values-database.contract.ts'

valuesDatabaseContract('a libSQL file', async () => {
  const folder = await mkdtemp(join(FAST_DIR, 'tidemark-values-'))
  const libsql = await openLibsql(`file:${join(folder, 'values.db')}`)
  return {
    values: valuesInLibsql(libsql, {
      onBroken(cause) {
        throw cause
      },
    }),
    async close() {
      await libsql.close()
      await rm(folder, { recursive: true })
    },
  }
})

valuesDatabaseContract('the storage of a Durable Object', async () => {
  const folder = await mkdtemp(join(FAST_DIR, 'tidemark-values-'))
  const { values, close } = await startValuesObject(folder)
  return {
    values,
    async close() {
      await close()
      await rm(folder, { recursive: true })
    },
  }
})
