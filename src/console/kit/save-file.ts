/** Saves the body of an answer as a file of the user: a plain link could not carry the access token. */
export async function saveFile(read: () => Promise<Response>, name: string): Promise<void> {
  const url = URL.createObjectURL(await (await read()).blob())
  const link = Object.assign(document.createElement('a'), { href: url, download: name })
  link.click()
  URL.revokeObjectURL(url)
}
