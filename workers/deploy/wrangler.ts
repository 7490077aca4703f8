import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The end of a command of wrangler. */
export type Answer = { readonly code: number; readonly stdout: string; readonly stderr: string }

/** Runs a command of wrangler, with a text for its standard input. */
export type Wrangler = (args: readonly string[], input?: string) => Promise<Answer>

/** A reason for which the deployment ends that the operator can remove. */
export class DeployFailure extends RangeError {}

const PROGRAM = 'node_modules/wrangler/bin/wrangler.js'

/** Wrangler of this clone, which runs under Node.js. */
export const runWrangler: Wrangler = async (args, input = '') => {
  const child = Bun.spawn(['node', PROGRAM, ...args], {
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true' },
    stdin: new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, stdout, stderr }
}

/** The standard output of a command. @throws {DeployFailure} with all that wrangler printed, where the command fails */
export async function outputOf(wrangler: Wrangler, args: readonly string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await wrangler(args, input)
  if (code !== 0)
    throw new DeployFailure(`wrangler ${args.join(' ')} failed with code ${code}.\n${stdout}${stderr}`)
  return stdout
}

/** The JSON that a command prints. @throws {DeployFailure} with all that wrangler printed, where the command fails or prints another text */
export async function jsonOf<Result>(wrangler: Wrangler, args: readonly string[]): Promise<Result> {
  const printed = await outputOf(wrangler, args)
  try {
    return JSON.parse(printed) as Result
  } catch (cause) {
    throw new DeployFailure(`wrangler ${args.join(' ')} printed another text than JSON.\n${printed}`, {
      cause,
    })
  }
}

/** The addresses of a Worker after `wrangler deploy`, which writes them into the file that a variable names. */
export async function deployed(wrangler: Wrangler, args: readonly string[]): Promise<readonly string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-deploy-'))
  const file = join(directory, 'output')
  process.env['WRANGLER_OUTPUT_FILE_PATH'] = file
  try {
    await outputOf(wrangler, ['deploy', ...args])
    const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '')
    const entries = lines.map((line) => JSON.parse(line) as { type: string; targets?: readonly string[] })
    return entries.find(({ type }) => type === 'deploy')?.targets ?? []
  } finally {
    delete process.env['WRANGLER_OUTPUT_FILE_PATH']
    await rm(directory, { recursive: true })
  }
}
