import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { quoted } from './quotes.ts'
import type { Language } from './schema.ts'

/** A program that writes texts behind each other, each with a NUL at its end. */
const PROGRAMS: Readonly<Record<Language, (literals: readonly string[]) => string[]>> = {
  python: (literals) => [
    'python3',
    '-c',
    `import sys\nfor text in [${literals.join(', ')}]:\n    sys.stdout.buffer.write(text.encode("utf-8") + b"\\0")`,
  ],
  javascript: (literals) => ['bun', '-e', `process.stdout.write([${literals.join(', ')}, ''].join('\\0'))`],
  bash: (literals) => ['bash', '-c', `printf '%s\\0' ${literals.join(' ')}`],
}

const ODD = [
  '',
  `'`,
  `"`,
  `'"'"'`,
  '\\',
  `\\'`,
  '$(touch pwned)',
  '`touch pwned`',
  '${HOME}',
  '!!',
  '\n',
  '\r\n',
  '"""',
  '-n',
  '#',
  '*',
  '\u2028\u2029\u202e\u200b\ufeff',
  '\u007f\u0085',
  'é🌊',
  '{x}',
  '%s',
]

test.each(Object.entries(PROGRAMS))('any text in %s means itself', async (language, program) => {
  const text = fc.string({ unit: 'grapheme', maxLength: 40 }).map((whole) => whole.replaceAll('\0', ''))
  const texts = [
    ...ODD,
    ...fc.sample(
      fc.oneof(
        text,
        fc.array(fc.constantFrom(...ODD)).map((some) => some.join('')),
      ),
      300,
    ),
  ]
  const ran = Bun.spawn(program(texts.map(quoted[language as Language])), { stderr: 'pipe' })
  const written = await new Response(ran.stdout).text()
  expect(await new Response(ran.stderr).text()).toBe('')
  expect(written.split('\0').slice(0, -1)).toEqual(texts)
})
