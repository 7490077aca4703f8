import { join } from 'node:path'

import { parseStory } from './parser.ts'
import type { Story } from './parser.ts'
import { VOCABULARY } from './vocabulary.ts'

/** The stories of this folder, in the order of their names.
 * @throws {StoryError} naming file and line of what cannot be understood */
export async function readStories(): Promise<readonly Story[]> {
  const files = [...new Bun.Glob('**/*.scenario').scanSync(import.meta.dirname)].sort()
  const read = async (file: string) =>
    parseStory(file, await Bun.file(join(import.meta.dirname, file)).text(), VOCABULARY)
  return Promise.all(files.map(read))
}

/** Stories of all words: all of the platform, and each with a word that no story before it has. */
export function storiesOfAllWords(stories: readonly Story[]): readonly Story[] {
  const spoken = new Set<string>()
  return stories.filter(({ file, lines }) => {
    const words = new Set(lines.flatMap((line) => [line, ...line.below]).map(({ word }) => word.says))
    const isNeeded = file.startsWith('platform/') || !words.isSubsetOf(spoken)
    if (isNeeded) for (const word of words) spoken.add(word)
    return isNeeded
  })
}
