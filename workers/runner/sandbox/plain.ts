import { spawn } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'

import type { Contained, Exit, SandboxStart } from './contained.ts'
import type { Sandbox } from './sandbox.ts'

export function openPlain(): Promise<Sandbox> {
  return Promise.resolve({
    isolation: 'none',
    missing: [],
    refusal: null,
    start: (start: SandboxStart) => Promise.resolve(startPlain(start)),
    makeRoom: async (path: string) => {
      await mkdir(path)
    },
    removeRoom: (path: string) => rm(path, { recursive: true, force: true }),
    close: () => Promise.resolve(),
  })
}

function startPlain({ argv, cwd, env, onStdout, onStderr }: SandboxStart): Contained {
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'nice', '-n', '10', ...argv], {
    cwd,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.on('data', onStdout)
  child.stderr.on('data', onStderr)
  const signalAll = (signal: NodeJS.Signals) => {
    if (child.pid === undefined) return
    try {
      process.kill(-child.pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
  const exited = new Promise<Exit>((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', () => signalAll('SIGKILL'))
    child.on('close', (code, signal) =>
      resolve({ code: code ?? (signal === 'SIGTERM' ? 143 : 137), reason: signal && `Ended by ${signal}.` }),
    )
  })
  return { exited, terminate: () => signalAll('SIGTERM'), kill: () => signalAll('SIGKILL') }
}
