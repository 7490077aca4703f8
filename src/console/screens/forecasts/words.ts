import type { Words } from '../../language/t.ts'

/** The words of this screen. */
export const words: Words = {
  en: () => import('./words/en.json'),
  de: () => import('./words/de.json'),
  fr: () => import('./words/fr.json'),
}
