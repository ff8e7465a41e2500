// Gives the conformance suite the file system with a globSync.
const shim = new URL('./fs-with-glob.mjs', import.meta.url).href;

export async function resolve(specifier, context, next) {
    const isSuite = context.parentURL?.includes('/@modelcontextprotocol/conformance/');
    return isSuite && specifier === 'fs' ? { url: shim, shortCircuit: true } : next(specifier, context);
}
