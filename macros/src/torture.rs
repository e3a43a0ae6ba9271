//! tmp
use super::*;
#[test]
fn timing() {
    for n in [500, 1000, 2000, 4000] {
        let out =
            std::process::Command::new("python3").args(["/tmp/big/gen.py", &n.to_string()]).output().unwrap();
        let text = String::from_utf8(out.stdout).unwrap();
        let text =
            text.trim().strip_prefix("surefire::recipe! {").unwrap().strip_suffix('}').unwrap().to_owned();
        let t = std::time::Instant::now();
        let tokens: TokenStream = text.parse().unwrap();
        let input = Input { krate: quote::quote!(::surefire), written: tokens };
        let a = t.elapsed();
        let mut d = Diagnostics::default();
        let w = syntax::Recipe::parse(input.written.clone(), &mut d).unwrap();
        let b = t.elapsed();
        let r = Resolved::new(w);
        let c = t.elapsed();
        let m = Model::new(r, d).ok().unwrap();
        let e = t.elapsed();
        let out = expand::model(&m, &input.krate);
        let f = t.elapsed();
        println!(
            "{n}: lex {a:?} parse {:?} resolve {:?} model {:?} expand {:?} len {}",
            b - a,
            c - b,
            e - c,
            f - e,
            out.to_string().len()
        );
    }
}
