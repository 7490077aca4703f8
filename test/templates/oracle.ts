import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Answer } from './cases.ts'

const JAR = '/usr/share/java/freemarker.jar'
const JAVAC = '/usr/bin/javac'
const JAVA = '/usr/bin/java'

/** Whether FreeMarker is installed: the packages `default-jdk-headless` and `libfreemarker-java`. */
export const hasOracle = existsSync(JAR) && existsSync(JAVAC)

/** The answers of FreeMarker, by one Java process. */
export function askOracle(templates: readonly string[]): readonly Answer[] {
  const classes = mkdtempSync(join(tmpdir(), 'tidemark-oracle-'))
  try {
    execFileSync(JAVAC, ['-nowarn', '-cp', JAR, '-d', classes, join(import.meta.dir, 'oracle.java')], {
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    const { stdout, status, stderr } = spawnSync(
      JAVA,
      ['-XX:TieredStopAtLevel=1', '-Xss4m', '-cp', `${classes}:${JAR}`, 'Oracle'],
      { input: templates.map((template) => `${escaped(template)}\n`).join(''), maxBuffer: 1 << 28 },
    )
    if (status !== 0) throw new Error(`oracle.java failed: ${stderr.toString()}`)
    const answers = stdout.toString().split('\n').slice(0, -1)
    if (answers.length !== templates.length)
      throw new Error(`oracle.java answered ${answers.length} of ${templates.length} templates`)
    return answers.map(answerOf)
  } finally {
    rmSync(classes, { recursive: true })
  }
}

const escaped = (text: string) =>
  text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r')

function answerOf(line: string): Answer {
  if (!line.startsWith('=')) return null
  return line.slice(1).replaceAll(/\\([^])/g, (_, character: string) => {
    if (character === 'n') return '\n'
    return character === 'r' ? '\r' : character
  })
}
