import { chmod, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Block } from './blocks.ts'

const ROOT = join(import.meta.dir, '../..')
/** What a block may use of the repository from the directory in which it runs. */
const LINKED = ['package.json', 'node_modules', 'workers', 'src', 'db']
/** For a page; `timeout` ends everything that a block has started. */
const PAGE_MAX_S = '240'
/** Passes on to curl, and notes the status of each answer with the arguments. */
const CURL = `#!/bin/sh
headers=$(mktemp)
"$DOCS_CURL" -D "$headers" "$@"
code=$?
sed -n "s/^HTTP[^ ]* \\([0-9]*\\).*/\\1/p" "$headers" | while read -r status; do
  printf '%s %s\\n' "$status" "$(printf '%s ' "$@" | tr '\\n' ' ')" >>"$DOCS_CALLS"
done
rm -f "$headers"
exit $code
`

/** Runs scripts of the package and nothing else: the packages that a block would install are those of this clone. */
const NPM = `#!/bin/sh
case $(basename "$0")-$1 in
  npm-run | npm-start) exec "$DOCS_NPM" "$@" ;;
esac
echo "$(basename "$0") $1: a block may only run npm run and npm start" >&2
exit 1
`

/** The result of the blocks of a page. */
export type Played = {
  readonly exitCode: number
  readonly output: string
  /** A status and the arguments of curl, for each answer. */
  readonly calls: readonly string[]
}

/** A directory in which blocks run as they would in the repository, without touching it. */
export type Desk = {
  readonly folder: string
  /** Runs the plain and shared blocks in one bash, each as it stands; the first failure ends it. */
  play(blocks: readonly Block[], environment: Readonly<Record<string, string>>): Promise<Played>
  close(): Promise<void>
}

export async function openDesk(): Promise<Desk> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-docs-'))
  const bin = join(folder, '.bin')
  const callsFile = join(folder, '.calls')
  for (const [name, text] of Object.entries({ curl: CURL, npm: NPM, npx: NPM })) {
    await Bun.write(join(bin, name), text)
    await chmod(join(bin, name), 0o755)
  }
  for (const name of LINKED) await symlink(join(ROOT, name), join(folder, name))
  return {
    folder,
    async play(blocks, environment) {
      await writeFile(callsFile, '')
      const child = Bun.spawn(
        ['timeout', '--kill-after=5', PAGE_MAX_S, 'bash', '-eu', '-o', 'pipefail', '-c', scriptOf(blocks)],
        {
          cwd: folder,
          env: {
            PATH: `${bin}:${process.env['PATH']}`,
            HOME: folder,
            DOCS_CURL: Bun.which('curl') ?? 'curl',
            DOCS_NPM: Bun.which('npm') ?? 'npm',
            DOCS_CALLS: callsFile,
            ...environment,
          },
          stdin: 'ignore',
          stdout: 'pipe',
          stderr: 'pipe',
        },
      )
      const [exitCode, out, err] = await Promise.all([
        child.exited,
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ])
      const calls = (await readFile(callsFile, 'utf8')).split('\n').filter((line) => line !== '')
      return { exitCode, output: `${out}\n${err}`, calls }
    },
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

function scriptOf(blocks: readonly Block[]): string {
  const begin = `trap 'status=$?; jobs -p | xargs -r kill 2>/dev/null; [ $status = 0 ] || echo "failed in $block" >&2; exit $status' EXIT`
  const parts = blocks
    .filter(({ kind }) => kind === 'plain' || kind === 'shared')
    .map(({ file, line, text }) => `block=${file}:${line}\n${text}`)
  return [begin, 'block=none', ...parts].join('\n')
}
