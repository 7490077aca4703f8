/** Options of `requirements.txt` that lead to indexes or name digests, and never to another file. */
const HARMLESS =
  /^--(?:index-url|extra-index-url|no-index|trusted-host|no-binary|only-binary|prefer-binary|require-hashes|pre|hash)\b|^-i\b/

/** Whether a manifest may refer to other files of the script, on which the environment then depends too. */
export function pointsIntoTree(manager: 'poetry' | 'pip', text: string): boolean {
  if (manager === 'poetry') return /\b(?:path|file)\s*=/.test(text) || text.includes('file:')
  return text.split('\n').some((line) => {
    const requirement = line.replace(/(?:^|\s)#.*$/, '').trim()
    if (requirement.startsWith('-')) return !HARMLESS.test(requirement)
    return /^\.{1,2}$/.test(requirement) || requirement.replaceAll(/https?:\/\/\S+/g, '').includes('/')
  })
}
