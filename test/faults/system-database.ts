import { Database } from 'bun:sqlite'

/** Databases of hosts: on Bun, and of D1 and objects in workerd. */
const FILES = '**/*.{db,sqlite}'

/** The system database among the data of a host that does not run. */
export async function systemDatabase(dataDir: string): Promise<Database> {
  for await (const file of new Bun.Glob(FILES).scan({ cwd: dataDir, absolute: true })) {
    const database = new Database(file)
    // A process that was killed lets go of its locks a little after its program is gone.
    database.run('PRAGMA busy_timeout = 10000')
    const found = database.query(`SELECT 1 FROM sqlite_master WHERE name = 'data_queries'`).get()
    if (found) return database
    database.close()
  }
  throw new Error('There is no system database.')
}
