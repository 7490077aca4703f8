import type { Words } from './t.ts'

/** The words of the shell and the kit, which each page has. */
export const words: Words = {
  en: () => import('./words/en.json'),
  de: () => import('./words/de.json'),
  fr: () => import('./words/fr.json'),
}
