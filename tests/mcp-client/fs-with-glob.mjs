// node:fs with the globSync that Node 20 hasn't got.
export * from 'node:fs';
export { default } from 'node:fs';

export function globSync() {
    throw new Error('this Node has no fs.globSync');
}
