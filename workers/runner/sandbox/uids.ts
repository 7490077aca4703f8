import { createServer } from 'node:net'
import type { Server } from 'node:net'

/** Users that nobody is: above those that systems give to people, below those they give to services, and there also in a
 * container that has 65,536 of them. */
const FIRST_UID = 58_000
const BLOCK = 64
const BLOCKS = 20

/** A row of users that no other runner of this machine has. */
export type Uids = { readonly first: number; readonly release: () => Promise<void> }

/** Takes a row of 64 users, until it is released or the process ends: whoever has a row listens on its name, which the
 * kernel gives to one process and takes back whichever way that ends. A row of which somebody is one is left alone, for
 * processes of its users are ended. Null where all are taken. */
export async function claimUids(): Promise<Uids | null> {
  for (let block = 0; block < BLOCKS; block++) {
    const first = FIRST_UID + block * BLOCK
    if (await isAnybodys(first)) continue
    const server = await listenAs(`\0tidemark-runner-uids-${first}`)
    if (server !== null) return { first, release: () => closed(server) }
  }
  return null
}

/** Whether one of a row of users is somebody, also one of a directory that this machine is joined to. */
async function isAnybodys(first: number): Promise<boolean> {
  const uids = Array.from({ length: BLOCK }, (_, index) => String(first + index))
  const found = Bun.spawn(['getent', 'passwd', ...uids], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [text] = await Promise.all([found.stdout.text(), found.exited])
  return text !== ''
}

function listenAs(name: string): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(null)
      else reject(error)
    })
    server.listen(name, () => {
      server.unref()
      resolve(server)
    })
  })
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}

/** Ends every process of a user at once, by a process of that user, which the kernel leaves out: none can begin in
 * between. Resolves when they are over. @param uid none that a process of somebody else has */
export async function endProcessesOf(uid: number): Promise<void> {
  const command = ['setpriv', ...asUser(uid), '/bin/sh', '-c', 'kill -KILL -1']
  do {
    // It fails when there was nobody to be ended.
    await Bun.spawn(command, { env: {}, stdio: ['ignore', 'ignore', 'ignore'] }).exited
  } while (await hasProcesses(uid))
}

/** Whether a process of a user is there that is not over; one that nobody has asked for the end of is. */
async function hasProcesses(uid: number): Promise<boolean> {
  const listed = Bun.spawn(['ps', '-U', String(uid), '-o', 'stat='], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [text] = await Promise.all([listed.stdout.text(), listed.exited])
  const states = text.split('\n').map((line) => line.trim())
  return states.some((state) => state !== '' && !state.startsWith('Z'))
}

/** What `setpriv` is told to become this user, for good. */
export function asUser(uid: number): string[] {
  const rights = ['--bounding-set=-all', '--inh-caps=-all', '--no-new-privs']
  return [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', ...rights]
}
