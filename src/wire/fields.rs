//! Reading a client's message field by field, in the order in which its struct declares them, so
//! that an error names the first field that is wrong.
//!
//! A field that is left out counts as `null`, everywhere: the app's encoders write both. Fields
//! that a struct does not declare are ignored.

use std::fmt;
use std::slice::Iter;
use std::vec::IntoIter;

use serde::de::{
    self, DeserializeSeed, Deserializer, Expected, IntoDeserializer, Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};

use super::decode_error::DecodeError;

/// Stands for the field that is being read, for code that reports it as missing without knowing its
/// name.
pub(super) const THIS_FIELD: &str = "";

/// How long the description of an invalid value may be: it may quote the value, which has any
/// length.
const MAX_REASON_CHARS: usize = 300;

/// What is wrong with a message whose type is known.
#[derive(Debug)]
pub(super) struct FieldError {
    field: Option<&'static str>,
    problem: Problem,
}

#[derive(Debug)]
enum Problem {
    Missing,
    /// What the field should hold, in words.
    Expected(String),
    Other(String),
}

impl FieldError {
    fn new(problem: Problem) -> Self {
        Self { field: None, problem }
    }

    fn in_field(self, field: &'static str) -> Self {
        Self { field: self.field.or(Some(field)), ..self }
    }

    /// The error for a message of this type.
    pub(super) fn in_message(self, kind: &'static str) -> DecodeError {
        let field = self.field.unwrap_or("message");
        match (self.problem, self.field) {
            (Problem::Missing, _) => DecodeError::Missing { field: field.to_owned(), kind },
            (Problem::Expected(expected), _) => DecodeError::WrongType { field, expected, kind },
            (Problem::Other(why), Some(field)) => DecodeError::Meaningless { field, kind, why },
            // Every field is valid, but at least one of several alternatives is required.
            (Problem::Other(fields), None) => DecodeError::Missing { field: fields, kind },
        }
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problem {
            Problem::Missing => f.write_str("a field is missing"),
            Problem::Expected(text) | Problem::Other(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for FieldError {}

impl de::Error for FieldError {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        let reason = reason.to_string();
        let end = reason.char_indices().nth(MAX_REASON_CHARS).map_or(reason.len(), |(end, _)| end);
        Self::new(Problem::Other(reason[..end].to_owned()))
    }

    fn missing_field(field: &'static str) -> Self {
        Self { field: Some(field).filter(|field| *field != THIS_FIELD), problem: Problem::Missing }
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(Problem::Expected(expected.to_string()))
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(Problem::Expected(expected.to_string()))
    }
}

/// The fields of one message, or of an object inside it.
pub(super) struct Fields(pub(super) Map<String, Value>);

impl<'de> Deserializer<'de> for Fields {
    type Error = FieldError;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        visitor.visit_map(InOrder { values: self.0, declared: fields.iter(), at: None })
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        Value::Object(self.0).deserialize_any(visitor).map_err(de::Error::custom)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// The fields that a struct declares, whether the message has them or not.
struct InOrder {
    values: Map<String, Value>,
    declared: Iter<'static, &'static str>,
    at: Option<&'static str>,
}

impl<'de> de::MapAccess<'de> for InOrder {
    type Error = FieldError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, FieldError> {
        self.at = self.declared.next().copied();
        let Some(field) = self.at else { return Ok(None) };
        seed.deserialize(IntoDeserializer::<FieldError>::into_deserializer(field)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, FieldError> {
        let field = self.at.take().unwrap_or(THIS_FIELD);
        seed.deserialize(Field(self.values.remove(field))).map_err(|error| error.in_field(field))
    }
}

/// The value of one field, if the message has it.
struct Field(Option<Value>);

impl Field {
    fn is_left_out(&self) -> bool {
        self.0.as_ref().is_none_or(Value::is_null)
    }

    /// A field that is left out counts as missing, never as wrong.
    fn expected(&self, words: &'static str) -> FieldError {
        let problem =
            if self.is_left_out() { Problem::Missing } else { Problem::Expected(words.to_owned()) };
        FieldError::new(problem)
    }
}

impl<'de> Deserializer<'de> for Field {
    type Error = FieldError;

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        if self.is_left_out() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match self.0 {
            Some(Value::Bool(flag)) => visitor.visit_bool(flag),
            _ => Err(self.expected("true or false")),
        }
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        let number =
            self.0.as_ref().and_then(Value::as_u64).and_then(|number| u32::try_from(number).ok());
        visitor.visit_u32(number.ok_or_else(|| self.expected("a whole number"))?)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        let number = self.0.as_ref().and_then(Value::as_u64);
        visitor.visit_u64(number.ok_or_else(|| self.expected("a whole number"))?)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        let number = self.0.as_ref().and_then(Value::as_f64);
        visitor.visit_f64(number.ok_or_else(|| self.expected("a number"))?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match self.0 {
            Some(Value::String(text)) => visitor.visit_string(text),
            _ => Err(self.expected("a string")),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        self.deserialize_string(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match self.0 {
            Some(Value::Array(values)) => visitor.visit_seq(Entries(values.into_iter())),
            _ => Err(self.expected("a list")),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        match self.0 {
            Some(Value::Object(values)) => Fields(values).deserialize_struct(name, fields, visitor),
            _ => Err(self.expected("an object")),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        visitor.visit_newtype_struct(self)
    }

    /// The only method that distinguishes `null` from a field that is left out.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match self.0 {
            None => Err(FieldError::new(Problem::Missing)),
            Some(Value::Null) => visitor.visit_unit(),
            Some(Value::String(text)) => visitor.visit_string(text),
            Some(_) => Err(de::Error::invalid_type(Unexpected::Other("value"), &visitor)),
        }
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u128 f32 char bytes byte_buf unit unit_struct tuple tuple_struct map enum
        identifier ignored_any
    }
}

/// The entries of a list.
struct Entries(IntoIter<Value>);

impl<'de> de::SeqAccess<'de> for Entries {
    type Error = FieldError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, FieldError> {
        let Some(value) = self.0.next() else { return Ok(None) };
        // The field itself is a list, so the error is about its entries.
        let of_entry = |error: FieldError| match error.problem {
            Problem::Missing => {
                FieldError::new(Problem::Expected("a list without null".to_owned()))
            }
            Problem::Expected(words) => {
                FieldError::new(Problem::Expected(format!("a list, each of it {words}")))
            }
            Problem::Other(_) => error,
        };
        seed.deserialize(Field(Some(value))).map(Some).map_err(of_entry)
    }
}
