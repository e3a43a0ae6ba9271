struct Stew;

static CATALOG: surefire::Catalog = surefire::catalog![Stew];

fn main() {}
