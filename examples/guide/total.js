/** @param {{ id: number, price: number, count: number }} row */
export default (row) => ({ id: row.id, total: Math.round(row.price * row.count * 100) / 100 });
