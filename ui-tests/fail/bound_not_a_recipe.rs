struct Stew;

fn cook<R: surefire::Recipe>() {}

fn main() {
    cook::<Stew>();
}
