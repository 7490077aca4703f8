import { createServer } from 'node:net'
import type { Server } from 'node:net'

import { runProgram } from '../programs.ts'

/** The first of the user ids for slots: above the ids that systems give to people, below the ids of services, and available in
 * a container with 65,536 ids. */
const FIRST_UID = 58_000
const BLOCK = 64
const BLOCKS = 20

/** A row of user ids that no other runner of this machine has. */
export type Uids = { readonly first: number; readonly release: () => Promise<void> }

/** Reserves a row of 64 user ids until it is released or the process ends. The owner of a row listens on its name, which the
 * kernel gives to one process and frees when that process ends. Rows with an existing user are skipped, because the processes
 * of a row's users are killed. Null if all rows are taken. */
export async function claimUids(): Promise<Uids | null> {
  for (let block = 0; block < BLOCKS; block++) {
    const first = FIRST_UID + block * BLOCK
    if (await hasUsers(first)) continue
    const server = await listenAs(`\0tidemark-runner-uids-${first}`)
    if (server !== null) return { first, release: () => closed(server) }
  }
  return null
}

/** Whether a user of a row exists, on this machine or in its directory. */
async function hasUsers(first: number): Promise<boolean> {
  const uids = Array.from({ length: BLOCK }, (_, index) => String(first + index))
  const { stdout } = await runProgram(['getent', 'passwd', ...uids])
  return stdout !== ''
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

/** Ends every process of a user, by a process of that user that signals all others at once: none can start in between.
 * Resolves when they have ended. @param uid of one slot only */
export async function endProcessesOf(uid: number): Promise<void> {
  const command = ['setpriv', ...asUser(uid), '/bin/sh', '-c', 'kill -KILL -1']
  do {
    // The command fails if no process was there to kill.
    await runProgram(command)
  } while (await hasProcesses(uid))
}

/** Whether a process of a user still runs. A zombie does not run. */
async function hasProcesses(uid: number): Promise<boolean> {
  const { stdout } = await runProgram(['ps', '-U', String(uid), '-o', 'stat='])
  const states = stdout.split('\n').map((line) => line.trim())
  return states.some((state) => state !== '' && !state.startsWith('Z'))
}

/** Arguments of `setpriv` that change to this user irrevocably. */
export function asUser(uid: number): string[] {
  const rights = ['--bounding-set=-all', '--inh-caps=-all', '--no-new-privs']
  return [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', ...rights]
}
