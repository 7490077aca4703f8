import { Database } from 'bun:sqlite'

// Run as a process of its own: holds the write lock of the database file <path> for <milliseconds>, then commits.
const [path = '', holdMs = '0'] = process.argv.slice(2)
const database = new Database(path)
database.run('pragma busy_timeout = 2000')
database.run('begin immediate')
process.stdout.write('locked\n')
await Bun.sleep(Number(holdMs))
database.run('commit')
database.close()
