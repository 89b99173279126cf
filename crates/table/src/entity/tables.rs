//! Tables in requests and replies.

use std::borrow::Cow;

use super::members::read_members;
use super::{MetadataLevel, token};
use crate::address::write_encoded;
use crate::json_text::{write_member, write_name};
use crate::{Error, ErrorCode};

/// Writes tables of one account as JSON.
#[derive(Clone, Copy, Debug)]
pub struct TableWriter<'a> {
    /// How much is said.
    pub level: MetadataLevel,
    /// The address of the account, without a slash at its end.
    pub base: &'a str,
    /// The account's name.
    pub account: &'a str,
}

impl TableWriter<'_> {
    /// Appends the body of a reply that is one table.
    pub fn write_one(&self, name: &str, out: &mut Vec<u8>) {
        out.push(b'{');
        if self.level != MetadataLevel::None {
            write_member("odata.metadata", &format!("{}/$metadata#Tables/@Element", self.base), out);
        }
        self.write_members(name, out);
        out.push(b'}');
    }

    /// Appends the body of a reply that is a list.
    pub fn write_list<'n>(&self, names: impl IntoIterator<Item = &'n str>, out: &mut Vec<u8>) {
        out.push(b'{');
        if self.level != MetadataLevel::None {
            write_member("odata.metadata", &format!("{}/$metadata#Tables", self.base), out);
        }
        write_name("value", out);
        out.push(b'[');
        for (nth, name) in names.into_iter().enumerate() {
            out.extend_from_slice(if nth > 0 { b",{" } else { b"{" });
            self.write_members(name, out);
            out.push(b'}');
        }
        out.extend_from_slice(b"]}");
    }

    /// Reads the body of a request to create a table: the name, which is not checked.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`] if it is no JSON object or the name no string; [`ErrorCode::PropertiesNeedValue`] without a
    /// `TableName`.
    pub fn parse_body(body: &[u8]) -> Result<String, Error> {
        let members = read_members(body)?;
        let name = members.iter().find(|(name, _)| name == "TableName").map(|(_, value)| *value);
        let name =
            name.filter(|name| !token::is_null(name)).ok_or_else(|| Error::new(ErrorCode::PropertiesNeedValue))?;
        token::string(name)
            .map(Cow::into_owned)
            .ok_or_else(|| Error::invalid_input("The 'TableName' must be a string."))
    }

    fn write_members(&self, name: &str, out: &mut Vec<u8>) {
        if self.level == MetadataLevel::Full {
            let mut address = "Tables('".to_owned();
            write_encoded(name, &mut address);
            address.push_str("')");
            write_member("odata.type", &format!("{}.Tables", self.account), out);
            write_member("odata.id", &format!("{}/{address}", self.base), out);
            write_member("odata.editLink", &address, out);
        }
        write_member("TableName", name, out);
    }
}
