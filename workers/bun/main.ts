import { createFirstJob } from '../../src/monitoring/jobs/service/first-job.ts'
import { backup, restore } from './backup.ts'
import { startRunnerChild } from './runner-child.ts'
import { readBunSettings } from './settings.ts'
import { startServer } from './server.ts'
import type { Server } from './server.ts'
import { tellStory } from './story.ts'

/** `tidemark`: serves until it is told to stop; `--once` plays the main job on temporary data and ends, `backup` and
 * `restore` ask a service that runs. */
async function main([command = '', ...rest]: readonly string[]): Promise<void> {
  if (command === 'backup') return print(await backup(rest, process.env))
  if (command === 'restore') return print(await restore(rest, process.env))
  const args = command === '' ? rest : [command, ...rest]
  const unknown = args.filter((argument) => argument !== '--once')
  if (unknown.length > 0) throw new RangeError(`Unknown argument ${unknown[0]}. There is only --once.`)
  if (args.includes('--once')) return tellStory()
  await serve()
}

function print(text: string): void {
  process.stdout.write(text)
}

async function serve(): Promise<void> {
  const settings = readBunSettings(process.env)
  const server = await startServer(settings)
  const endRunner = settings.startsRunner ? startRunner(server, settings.dataDir) : null
  const firstJobId = server.isFirstStart ? await createFirstJob(server.ports) : null
  const stop = () => {
    close(server, endRunner).then(() => process.exit(0), fail)
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
  process.stdout.write(welcome(server, settings.dataDir, firstJobId))
}

function startRunner({ url, ports }: Server, dataDir: string): (() => Promise<void>) | null {
  const { runnerToken } = ports.settings
  if (runnerToken === null) return null
  return startRunnerChild({ url, token: runnerToken, dataDir, environment: process.env, log: ports.log })
}

/** The runner first: what it still says is heard. */
async function close(server: Server, endRunner: (() => Promise<void>) | null): Promise<void> {
  await endRunner?.()
  await server.close()
}

function fail(error: unknown): void {
  // A wrong setting is for the operator, and says what to do; everything else is for a developer.
  process.stderr.write(`${error instanceof RangeError ? error.message : (error as Error).stack}\n`)
  process.exit(1)
}

function welcome({ url, setupLink }: Server, dataDir: string, firstJobId: number | null): string {
  const delivery = `curl -u admin -H 'content-type: application/json' -d '{"returnValue1": 21.5, "errorCode": 0}' \\`
  const lines = [
    '',
    `  Tidemark listens at ${url}`,
    ...(setupLink === null ? [] : ['  Create the administrator within 30 minutes:', `    ${setupLink}`]),
    ...(firstJobId === null
      ? []
      : [
          '  Then deliver a first value:',
          `    ${delivery}`,
          `      ${url}/webcollector/jobs/${firstJobId}/values`,
        ]),
    `  The interface: ${url}/openapi.json`,
    `  Its data:      ${dataDir}`,
    '  Stop it with Ctrl-C.',
    '',
    '',
  ]
  return lines.join('\n')
}

main(process.argv.slice(2)).catch(fail)
