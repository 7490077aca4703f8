import { fail, serveAs } from '../server/start.ts'

process.umask(0o077)
serveAs(process.argv.slice(2), async () => (await import('./runtime.ts')).DENO).then((isServing) => {
  // The hashing threads would keep the process alive.
  if (!isServing) process.exit(0)
}, fail)
