import { filenameOf } from '../../content/files/filename.ts'
import { foldCase, startOf } from '../../lib/text.ts'

/** A version at the end of a name, as builds write it, or the number of a copy. A whole number without a `v` may be part of
 * the name. */
const SUFFIX = /(?:[-_ ](?:v\d+(?:\.\d+)*|\d+(?:\.\d+)+)(?:-[0-9A-Za-z.]+)?|\s?\(\d+\))$/i

/** The name of a script whose archive has this file name: without folders, `.zip`, and a version or the number of a copy.
 * Other characters stay. */
export function bareName(file: string): string {
  const name = file
    .slice(file.lastIndexOf('/') + 1)
    .replace(/\.zip$/i, '')
    .trim()
    .normalize('NFC')
  const bare = name.replace(SUFFIX, '').trim()
  return bare === '' ? name : bare
}

/** Where the archive of a script stands in one of many: in a folder for its group, where no other one stands. */
export function placeFor(
  script: { readonly group: string; readonly name: string },
  taken: Set<string>,
): string {
  const [folder, name] = [plain(script.group), plain(script.name)]
  for (let copy = 1; ; copy++) {
    const place = `${folder}/${name}${copy === 1 ? '' : ` (${copy})`}.zip`
    if (taken.has(foldCase(place))) continue
    taken.add(foldCase(place))
    return place
  }
}

const NAME_MAX = 50

/** A name that any system keeps as a file's. */
function plain(name: string): string {
  const cut = startOf(name.replaceAll(/[^\p{L}\p{M}\p{N} ._()+-]/gu, '_'), NAME_MAX)
  return filenameOf(cut.replace(/^[ .]+|[ .]+$/g, '')) ?? '_'
}
