import { untilAborted } from '../../src/lib/abort.ts'
import type { Translator } from '../../src/ports/translator.ts'

/** The used part of the binding. */
export type Ai = {
  run(model: string, input: object): Promise<unknown>
}

const MODEL = '@cf/meta/m2m100-1.2b'
const AT_ONCE = 4

/** Translation by Workers AI, whose model takes one text at a time and knows languages without regions. */
export function translatorOfAi(ai: Ai): Translator {
  return {
    name: 'workers-ai',
    textsMax: AT_ONCE,
    async translate(texts, { source, target }, signal) {
      signal.throwIfAborted()
      const between = { source_lang: bare(source), target_lang: bare(target) }
      const asked = Promise.all(texts.map((text) => ai.run(MODEL, { text, ...between })))
      return (await untilAborted(asked, signal)).map(textOf)
    },
  }
}

function bare(language: string): string {
  return language.replace(/-.*/, '')
}

function textOf(answer: unknown): string {
  const text = (answer as { translated_text?: unknown } | null)?.translated_text
  if (typeof text === 'string') return text
  throw new TypeError('Workers AI answered no text.')
}
